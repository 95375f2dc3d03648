/** The user's prices from a file that the command line names. */
import { type PriceTable, readPrices } from '../../models/prices';
import { readStrictJson } from '../../runtime/strictJson';
import { FileFailure, readTextFile } from './skillFolder';

/** In bytes: tens of thousands of models. */
const mostBytes = 4_000_000;

/** How deep a file of prices nests at most. */
const maxDepth = 8;

/**
 * Reads a file of prices; see models/prices.ts for what stands in it.
 *
 * @throws FileFailure that names what is wrong and where
 */
export async function readPriceFile(path: string): Promise<PriceTable> {
  const text = (await readTextFile(path, mostBytes)).replace(/^\uFEFF/, '');
  const json = readStrictJson(text, maxDepth);
  if (!json.ok) {
    const line = text.slice(0, json.fault.offset).split('\n').length;
    throw new FileFailure(`${path}:${line}: ${json.fault.message}`);
  }
  const read = readPrices(json.value);
  if (read.ok) return read.prices;
  const [first = '', ...others] = read.problems;
  throw new FileFailure(`${path}: ${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}`);
}
