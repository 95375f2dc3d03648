/** Writes GGUF files, version 3, the format of llama.cpp's models (ggml's docs/gguf.md): metadata, then tensors of 32-bit floats. */
import { writeFileSync } from 'node:fs';
import { assertNever } from '../../schemas/text/assertNever';

export type GgufValue =
  | { readonly type: 'uint32' | 'float32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'int32s'; readonly value: readonly number[] };

export interface GgufTensor {
  readonly name: string;
  /** The length of a row first. */
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** The numbers of the types, as the format has them. */
const codes = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
const version = 3;
const float32Tensor = 0;
/** Where no `general.alignment` says otherwise. */
const alignment = 32;

export function writeGguf(
  path: string,
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): void {
  const entries = Object.entries(metadata);
  const head = [Buffer.from('GGUF'), uint32(version), uint64(tensors.length), uint64(entries.length)];
  for (const [key, value] of entries) head.push(string(key), typed(value));
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    head.push(string(name), uint32(shape.length), ...shape.map(uint64), uint32(float32Tensor));
    head.push(uint64(offset));
    offset += aligned(data.byteLength);
  }
  const bodies = tensors.map(({ data }) =>
    padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  );
  writeFileSync(path, Buffer.concat([padded(Buffer.concat(head)), ...bodies]));
}

/** A value behind the number of its type. */
function typed(given: GgufValue): Buffer {
  switch (given.type) {
    case 'uint32':
      return Buffer.concat([uint32(codes.uint32), uint32(given.value)]);
    case 'float32': {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(given.value);
      return Buffer.concat([uint32(codes.float32), bytes]);
    }
    case 'bool':
      return Buffer.concat([uint32(codes.bool), Buffer.from([given.value ? 1 : 0])]);
    case 'string':
      return Buffer.concat([uint32(codes.string), string(given.value)]);
    case 'strings':
      return array(codes.string, given.value.map(string));
    case 'int32s':
      return array(codes.int32, given.value.map(int32));
    default:
      return assertNever(given);
  }
}

function array(code: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(codes.array), uint32(code), uint64(items.length), ...items]);
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function aligned(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}
