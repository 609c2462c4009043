import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { readSeconds } from '../../resources/options.ts';
import { readInput } from '../../resources/read-input.ts';
import { spanText } from '../../resources/show.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Outcome } from '../../run/outcome.ts';
import { type Checked, checkSignature } from './signature.ts';
import { publicKeysOption, secretFileOption, verifyingKeys } from './verifying-keys.ts';

export const command = defineCommand({
  description: 'Checks that a saved request was signed with the secret and is recent. Exits with 3 if not.',
  examples: [
    {
      say: 'With the secret of the target',
      run: 'waymark webhook verify --headers headers.txt --body body.json --secret-file secret.txt',
    },
    {
      say: 'With the public keys of the org, ignoring its age',
      run: 'waymark webhook verify --headers headers.txt --body body.json --public-keys --any-age',
    },
  ],
  build: (command) =>
    command
      .requiredOption('--headers <file>', 'lines such as webhook-id: …, or a JSON object')
      .requiredOption('--body <file>', 'file with the unmodified body, or - for standard input')
      .addOption(secretFileOption())
      .addOption(publicKeysOption())
      .option('--max-age <duration>', 'maximum age of the request (default: 5m)', readAge, 300)
      .option('--any-age', 'accept a request of any age'),
  async run(session, _, { headers: file, body, maxAge, anyAge, ...flags }) {
    const headers = readHeaders(await readInput(session, file), file);
    const bytes = body === '-' ? await session.io.stdin.bytes() : readFileSync(resolve(session.io.cwd, body));
    const keys = await verifyingKeys(session, flags);
    if (keys.length === 0) {
      throw usageError(
        'No secret or public key is set',
        'Add --secret-file or --public-keys, or set WAYMARK_WEBHOOK_SECRET',
      );
    }
    const checked = checkSignature({ headers, body: bytes }, keys, Math.floor(session.io.now().getTime() / 1000));
    return outcomeOf(checked, headers['webhook-id'] ?? null, anyAge ? Number.POSITIVE_INFINITY : maxAge);
  },
});

function outcomeOf(checked: Checked, id: string | null, maxAge: number): Outcome {
  if (checked.kind === 'wrong') return refused(id, null, checked.why);
  const age = checked.ageSeconds;
  const ageText = age < 0 ? `from the future, by ${spanText(-age)}` : `${spanText(age)} old`;
  if (Math.abs(age) > maxAge) {
    return refused(
      id,
      age,
      `the signature is valid, but it is ${ageText}, so it may be a replay. Accept it with --any-age`,
    );
  }
  return {
    data: { genuine: true, id, age_seconds: age, reason: null },
    text: (style) => `${style.good('✓')} Genuine, ${ageText}`,
  };
}

function refused(id: string | null, age: number | null, reason: string): Outcome {
  return {
    ending: 'nonCompliant',
    data: { genuine: false, id, age_seconds: age, reason },
    text: (style) => `${style.bad('✕')} Not genuine: ${reason}`,
  };
}

function readHeaders(text: string, file: string): Record<string, string> {
  const pairs = text.trim().startsWith('{') ? jsonHeaders(text, file) : lineHeaders(text);
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value.trim()]));
}

function lineHeaders(text: string): [string, string][] {
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, name, value] = /^\s*[<>]?\s*([A-Za-z0-9-]+):(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}

function jsonHeaders(text: string, file: string): [string, string][] {
  try {
    return Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, value]) => [
      name,
      [value].flat().join(' '),
    ]);
  } catch {
    throw usageError(`${file} looks like JSON but is not valid`);
  }
}

function readAge(text: string): number {
  const seconds = readSeconds(text);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It must be longer than zero.');
}
