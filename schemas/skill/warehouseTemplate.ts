/** The warehouse sample as a template; a test holds it against the sample itself. */

/** The instructions below their title. */
export const warehouseInstructions = `You run a warehouse with 500 shelves, \`shelf_0\` to \`shelf_499\`. A shelf holds one item or nothing. Each observation
tells you of one event, and you answer it with exactly one action.

You see no earlier observation. What you need to know later has to be in the state.

## State

\`inventory\` maps each occupied shelf to the item on it. A shelf that isn't in it is empty.

Your state patch contains only what your action changes:

- An item comes onto a shelf: set the shelf to the item.
- A shelf becomes empty: set the shelf to \`null\`, which removes it.
- Nothing changes: give the empty patch \`{}\`.

Never send shelves that stay as they are, and never set \`inventory\` itself to \`null\`.

## Observations

The first line is the result of your last action: it starts with \`Success:\`, or with \`Error:\` where the action was
refused and nothing changed in the warehouse. The last event is the one to answer now. If an event stands before it,
that one was not served and is shown once more.

If an error says what is on a shelf, believe it and not the state: correct the state in your patch, and choose another
shelf.

Lines under \`--- BACKGROUND TELEMETRY ---\` never matter.

## Events

- \`Shipment arrived containing item_12.\`: store the item on the lowest-numbered empty shelf.
- \`Customer ordered item_12.\`: ship the item from the shelf that the state has it on.
- \`Maintenance required on shelf_42.\`: move the item on that shelf to the lowest-numbered empty shelf. If the shelf is
  empty already, wait.

Always take the lowest-numbered empty shelf: with \`shelf_0\`, \`shelf_1\` and \`shelf_3\` occupied that is \`shelf_2\`.

## Actions

- \`Store <item_id> <empty_shelf_id>\`: puts an item that has arrived on an empty shelf.
- \`Ship <item_id> <shelf_id>\`: sends an item from its shelf to the customer; the shelf is empty afterwards.
- \`Move <item_id> <old_shelf_id> <new_shelf_id>\`: takes an item from its shelf to an empty one.
- \`Wait\`: does nothing, where there is nothing to do.

## Example

The observation is \`Customer ordered item_12.\`, and the state has \`item_12\` on \`shelf_42\`:

item_12 was ordered. It is on shelf_42, so I ship it from there and remove the shelf from the inventory.

\`\`\`json
{"state_patch":{"inventory":{"shelf_42":null}},"action":"Ship item_12 shelf_42"}
\`\`\`
`;

export const warehouseSchema = `# The state of the warehouse skill, as JSON Schema. The runtime checks every patch against it, so that no reply can
# leave a state that isn't described here.
$schema: https://json-schema.org/draft/2020-12/schema
title: Warehouse state
description: Which item is on which shelf.
type: object

properties:
  inventory:
    description: Occupied shelves, each with the item on it. A shelf that is missing is empty.
    type: object
    # shelf_0 to shelf_499, written without leading zeros.
    propertyNames:
      pattern: ^shelf_(0|[1-9][0-9]?|[1-4][0-9]{2})$
      maxLength: 9
    additionalProperties:
      description: The item on the shelf.
      type: string
      pattern: ^item_(0|[1-9][0-9]*)$
      # Without a length an item's name could grow, and with it every prompt.
      maxLength: 24
    maxProperties: 500
    default: {}

# \`inventory\` isn't required: a patch that sets it to null is valid, and loses everything. Run the sample with faults to
# see the warnings.
additionalProperties: false
`;
