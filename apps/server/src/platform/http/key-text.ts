import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^wmk_[a-z][0-9A-Za-z]{36}$/;

/** `wmk_`, the region's letter, 30 random characters, 6 of checksum: findable by scanners, typos refused offline. */
export function newKeyText(regionLetter: string): string {
  const random = Array.from({ length: 30 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const text = `wmk_${regionLetter}${random}`;
  return text + checksum(text);
}

export function isKeyText(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);
}

export function hashKey(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let i = 0; i < 6; i++) {
    encoded = ALPHABET[rest % ALPHABET.length] + encoded;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return encoded;
}
