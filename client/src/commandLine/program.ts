/** The grammar of the command line: commands, flags and their checks, each handed to its own module. */
import { Command, type CommanderError, InvalidArgumentError, Option } from 'commander';
import launchSchema from '../../../schemas/launch/launchConfiguration.schema.json';
import { mostSamples } from '../../../schemas/messages/samplingMessages';
import { skillTemplates } from '../../../schemas/skill/skillTemplates';
import { environmentNames } from '../environments/registry';
import { modelProviders } from '../models/modelName';
import { decodings } from '../models/modelSettings';
import { modelForms } from '../models/unknownModel';
import { act, playableEnvironments } from './act';
import { dap } from './dap';
import { infer } from './infer';
import { newSkill } from './newSkill';
import { patch } from './patch';
import { run } from './run';
import { showPrompt } from './showPrompt';
import type { ExitCode, Terminal } from './terminal';
import { traceBlame } from './traceBlame';
import { traceShow } from './traceShow';
import { severities } from './validateReport';

/**
 * Builds the program. Commander never ends the process: wrong usage throws its CommanderError.
 *
 * @param finish Gets the exit code of the command that ran.
 */
export function createProgram(
  terminal: Terminal,
  version: string,
  finish: (code: ExitCode) => void,
): Command {
  const program = new Command('skill-state')
    .description('Checks, runs and debugs agent skills with a schema-checked state (SKILL.state).')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: () => undefined,
    });

  requestOptions(
    program
      .command('run')
      .description('Run a skill step by step, or resume a run from its trace.')
      .argument('[skill-folder]', 'folder with a SKILL.md in it')
      .option('--environment <name>', `${environmentNames.join(' or ')}; by default what the skill names`)
      .option('--model <name>', `${modelForms.join(', ')}; by default scripted where it can answer`),
  )
    .option('--horizon <number>', 'T, how many events the episode has', parseInteger(1))
    .option('--seed <number>', 'seed of the episode, 0 by default', parseInteger(0))
    .addOption(
      new Option('--commit <order>', 'merge before the action, or once it is accepted').choices([
        'on-propose',
        'on-accept',
      ]),
    )
    .option(
      '--max-retries <number>',
      'further attempts after a rejected reply, 2 by default',
      parseInteger(0),
    )
    .addOption(
      new Option('--on-exhausted <way>', 'what follows when they run out').choices([
        'reobserve',
        'continue',
        'stop',
      ]),
    )
    .option('--budget-steps <number>', 'end after so many steps', parseInteger(1))
    .option('--budget-tokens <number>', 'end after so many tokens', parseInteger(1))
    .option('--budget-cost <dollars>', 'end after so many US dollars', parsePositive)
    .option('--budget-seconds <number>', 'end after so many seconds', parsePositive)
    .option('--replies <file>', 'replies for the manual model, one JSON string a line')
    .option('--observations <file>', 'observations for the manual environment, one JSON string a line')
    .option('--trace <file>', 'where the trace is written; by default under .skill-state')
    .option('--sync-every-record', 'make each record survive the machine, not the process alone (slower)')
    .option('--resume <file>', 'go on with an interrupted run')
    .option('--json', 'print one JSON object at the end')
    .action(async (skill, flags) => finish(await run(skill, flags, terminal)));

  program
    .command('patch')
    .description('Merge a patch into a state under a schema, or say why it is rejected.')
    .requiredOption('--schema <file>', 'state schema, YAML or JSON')
    .requiredOption('--state <file>', 'state, YAML or JSON')
    .requiredOption('--patch <file>', 'patch, JSON')
    .option('--json', 'print {state} or {rejection}')
    .action(async (flags) => finish(await patch(flags, terminal)));

  const models = program
    .command('models')
    .description('What models there are, and what their servers keep to.');
  models
    .command('list')
    .description('List every provider with what it needs, and its models.')
    .addOption(new Option('--provider <name>', 'this one alone').choices(modelProviders))
    .option('--base-url <url>', 'where the server is, such as http://127.0.0.1:8080/v1')
    .option('--prices <file>', 'prices of models, as for run')
    .option('--json', 'print {providers}')
    .action(async (flags) => {
      const { modelList } = await import('./modelList');
      finish(await modelList(flags, terminal));
    });
  models
    .command('probe')
    .description('Try how the server of a model can be held to the reply format; what is found out is kept.')
    .argument('<model>', 'such as llama.cpp:<model> or openai:<model>')
    .option('--base-url <url>', 'where the server is, such as http://127.0.0.1:8080/v1')
    .option('--refresh', 'try again what is known already')
    .option('--skill <folder>', 'say too what of this skill a reply is not held to')
    .option('--vertex-project <id>', 'Gemini on Vertex AI: the project')
    .option('--vertex-location <name>', 'Gemini on Vertex AI: where it runs, global by default')
    .option('--timeout <seconds>', 'how long the server may be silent, 120 by default', parseTimeout)
    .option('--json', 'print one JSON object')
    .action(async (model, flags) => {
      const { modelProbe } = await import('./modelProbe');
      finish(await modelProbe(model, flags, terminal));
    });

  requestOptions(
    program
      .command('try')
      .description('Ask models several times for the reply to one step, and show how the answers differ.')
      .argument('<skill-folder|trace>', 'a folder with a SKILL.md in it, or a *.skilltrace.jsonl file')
      .option('--step <number>', 'of a trace, from 0; by default its last one', parseInteger(0))
      .option('--branch <number>', 'of a trace, 0 for the original run', parseInteger(0))
      .option('--attempt <number>', 'of the step, from 1: a later one has a correction', parseInteger(1))
      .option('--state <file>', 'state, YAML or JSON; by default that of the step, or the initial one')
      .option(
        '--observation <text>',
        'by default that of the step; of a skill what its environment begins with',
      )
      .option('--environment <name>', 'for which the scripted model answers')
      .option('--model <name>', 'whom to ask; may be repeated. By default the recorded one', collected)
      .option('--samples <number>', 'how many answers each gives, 5 by default', parseInteger(1, mostSamples))
      .option('--seed <number>', 'of the first answer; each further one has the next', parseInteger(0)),
  )
    .option('--json', 'print one JSON object')
    .action(async (path, flags) => {
      const { tryStep } = await import('./tryStep');
      finish(await tryStep(path, flags, terminal));
    });

  const trace = program.command('trace').description('Read traces.');
  trace
    .command('show')
    .description('Show the steps of a trace, or everything about one.')
    .argument('<file>', 'a *.skilltrace.jsonl file')
    .option('--step <number>', 'the step, from 0', parseInteger(0))
    .option('--branch <number>', 'the branch, 0 for the original run', parseInteger(0))
    .option('--json', 'print one JSON object')
    .action(async (path, flags) => finish(await traceShow(path, flags, terminal)));
  trace
    .command('blame')
    .description('Show which steps wrote a value of the state, newest first.')
    .argument('<file>', 'a *.skilltrace.jsonl file')
    .argument('<pointer>', 'the value: /inventory/shelf_3 or state.inventory.shelf_3')
    .option('--step <number>', 't of the state Σ_t; by default the last one', parseInteger(0))
    .option('--branch <number>', 'the branch, 0 for the original run', parseInteger(0))
    .option('--limit <number>', 'how many writes are shown at most', parseInteger(1))
    .option('--json', 'print one JSON object')
    .action(async (path, pointer, flags) => finish(await traceBlame(path, pointer, flags, terminal)));

  program
    .command('act')
    .description('Use an environment by hand: one action a line in, its observation out.')
    .argument('<environment>', playableEnvironments.join(' or '))
    .option('--seed <number>', 'seed of the episode, 0 by default', parseInteger(0))
    .option('--horizon <number>', 'how many events the episode has', parseInteger(1))
    .option('--actions <file>', 'file of actions, - for standard input')
    .option('--json', 'print one JSON object a line')
    .action(async (environment, flags) => finish(await act(environment, flags, terminal)));

  program
    .command('dap')
    .description('Serve the debug adapter on standard input and output, or on a port of 127.0.0.1.')
    .option('--port <number>', 'TCP port; 0 picks a free one', parseInteger(0, 65_535))
    .option('--prices <file>', 'prices of models, as for run')
    .option('--redact <pattern>', 'keep what it matches out of runs and their traces, as for run', collected)
    .action(async (flags) => finish(await dap(flags, terminal)));

  program
    .command('new')
    .description('Write a new skill that validates, in a folder of its name.')
    .argument('<name>', 'lowercase letters, digits and single hyphens')
    .requiredOption('--description <text>', 'what the skill does and when to use it')
    .addOption(
      new Option('--template <name>', 'what it begins with')
        .choices(skillTemplates.map(({ id }) => id))
        .default('state'),
    )
    .option('--folder <path>', 'where its folder is made', '.')
    .action(async (name, flags) => finish(await newSkill(name, flags, terminal)));

  program
    .command('infer')
    .description('Infer a state schema from states (YAML or JSON) or from a trace.')
    .argument('<files...>', 'states, or *.skilltrace.jsonl files')
    .option('--output <file>', 'write it there instead of printing it')
    .action(async (files, flags) => finish(await infer(files, flags, terminal)));

  program
    .command('prompt')
    .description('Show the prompt that a state and an observation give, and its tokens.')
    .argument('<skill-folder>', 'folder with a SKILL.md in it')
    .option('--state <file>', "state, YAML or JSON; by default the skill's initial state")
    .option('--observation <text>', 'the latest observation; empty by default')
    .option('--json', 'print {prompt, tokens, tokenizer}')
    .action(async (skill, flags) => finish(await showPrompt(skill, flags, terminal)));

  program
    .command('lsp')
    .description(
      'Serve the language server to an editor, on standard input and output or on a port that it listens on.',
    )
    .addOption(new Option('--stdio', 'speak on standard input and output, the default').conflicts('socket'))
    .option('--socket <port>', 'connect to the editor on this port of 127.0.0.1', parseInteger(1, 65_535))
    // Editors tell it to every server that they start.
    .addOption(
      new Option('--clientProcessId <id>', "the editor's process").argParser(parseInteger(1)).hideHelp(),
    )
    .action(async (flags) => {
      const { lsp } = await import('./lsp');
      finish(await lsp(flags, terminal));
    });

  program
    .command('validate')
    .description(
      'Check skills and their state schemas, initial states and included files. Exit code 1 where there is an error.',
    )
    .argument('<path...>', 'a SKILL.md, a file of a skill, or a folder, which is searched for skills')
    .addOption(
      new Option('--format <format>', 'lines and columns count from 1 in all of them')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .addOption(
      new Option('--profile <profile>', 'whose front matter keys are known')
        .choices(['standard', 'vscode', 'claude'])
        .default('standard'),
    )
    .addOption(
      new Option('--severity <severity>', 'leave out what is less severe')
        .choices(severities)
        .default('information'),
    )
    .action(async (paths, flags) => {
      const { validate } = await import('./validate');
      finish(await validate(paths, flags, terminal, version));
    });

  // Commander hands `exitOverride` and output settings on to commands made before them only.
  for (const command of allCommands(program)) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => terminal.stdout.write(text), writeErr: () => undefined });
    command.showSuggestionAfterError(true);
  }
  return program;
}

/** What requests to models are made with, for every command that makes some. */
function requestOptions(command: Command): Command {
  return command
    .option('--base-url <url>', "where the model's server is, such as http://127.0.0.1:8080/v1")
    .addOption(
      new Option('--decoding <way>', 'how replies are held to their format; auto by default').choices(
        decodings,
      ),
    )
    .option('--temperature <number>', 'of the first attempt, 0 by default', parseNumber(0, 2))
    .option('--retry-temperature <number>', "of a step's further attempts, such as 0.7", parseNumber(0, 2))
    .option('--top-p <share>', 'share of likely words that are chosen from, 1 by default', parseShare)
    .option(
      '--max-tokens <number>',
      'most tokens of one reply; small models may never stop without',
      parseInteger(1),
    )
    .option(
      '--reasoning-effort <word>',
      'how much a reasoning model thinks: minimal, low, medium, high',
      parseWord,
    )
    .option('--thinking-budget <tokens>', 'Gemini: tokens it may think, 0 for none, -1 for any', parseBudget)
    .option('--vertex-project <id>', 'Gemini on Vertex AI: the project')
    .option('--vertex-location <name>', 'Gemini on Vertex AI: where it runs, global by default')
    .option('--timeout <seconds>', 'how long a model may be silent, 120 by default', parseTimeout)
    .option(
      '--request-retries <number>',
      'how often a request that failed for a while is made again, 4 by default',
      parseInteger(0, 20),
    )
    .option(
      '--prices <file>',
      'prices of models, JSON: {"<model>": {"prompt": $, "completion": $}} per million tokens',
    )
    .option(
      '--redact <pattern>',
      'keep what it matches out of the run and its trace; may be repeated',
      collected,
    )
    .option('--faults <rate>', "share of the scripted model's replies with a fault, 0 to 1", parseShare)
    .option('--fault-seed <number>', 'seed of the faults, 0 by default', parseInteger(0));
}

/** Whether an error only asks for help or the version, which have been printed. */
export function isInformation(error: CommanderError): boolean {
  return error.exitCode === 0;
}

function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function parseInteger(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
      throw new InvalidArgumentError(`It has to be a whole number ${range}.`);
    }
    return value;
  };
}

/** All values of a flag that is given several times. */
function collected(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

function parseNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max))
      throw new InvalidArgumentError(`It has to be a number from ${min} to ${max}.`);
    return value;
  };
}

function parseBudget(text: string): number {
  return text.trim() === '-1' ? -1 : parseInteger(0)(text);
}

function parseWord(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It has to be a word.');
  return text;
}

function parseShare(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('It has to be a number from 0 to 1.');
  return value;
}

const longestTimeout = launchSchema.properties.timeout.maximum;

function parseTimeout(text: string): number {
  const value = parsePositive(text);
  if (value > longestTimeout) throw new InvalidArgumentError(`It has to be at most ${longestTimeout}.`);
  return value;
}

function parsePositive(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError('It has to be a number above 0.');
  return value;
}
