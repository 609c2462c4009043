import { isSize } from '../merkle/spans.ts';

const TIME_BYTES = 8;

/** Returns what a cosignature/v1 signs: the text of a checkpoint below a time. */
export function cosignedText(text: string, time: number): string {
  if (!isSize(time)) throw new RangeError(`${time} is not a time in whole seconds`);
  return `cosignature/v1\ntime ${time}\n${text}`;
}

export function timeBytes(time: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  return bytes;
}

export interface TimedSignature {
  readonly time: number;
  readonly signature: Uint8Array;
}

/** Splits the bytes of a cosignature. Times that a number cannot hold are millions of years away, and rejected. */
export function splitTime(bytes: Uint8Array): TimedSignature | undefined {
  if (bytes.length < TIME_BYTES) return undefined;
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset, TIME_BYTES).getBigUint64(0));
  return isSize(time) ? { time, signature: bytes.subarray(TIME_BYTES) } : undefined;
}
