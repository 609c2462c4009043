import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Block } from './page-blocks.ts';

/** A message as a receiver gets it, with its key. */
export interface SignedMessage {
  readonly key: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  readonly body: string;
}

interface Language {
  readonly file: string;
  /** Calls the page's code with the arguments of the program, and exits with 0 for a genuine message. */
  readonly driver: { readonly file: string; readonly text: string };
  readonly compile?: readonly string[];
  readonly command: readonly string[];
}

const TYPESCRIPT = `
import { readFileSync } from 'node:fs';
import { isGenuine } from './verify.ts';
const [key = '', id, timestamp, signatures, file = ''] = process.argv.slice(2);
const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures };
process.exit(isGenuine(key, headers, readFileSync(file)) ? 0 : 3);
`;

const PYTHON = `
import sys
from verify import is_genuine
key, id, timestamp, signatures, file = sys.argv[1:]
headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures}
sys.exit(0 if is_genuine(key, headers, open(file, "rb").read()) else 3)
`;

const GO = `package main

import (
	"net/http"
	"os"
)

func main() {
	header := http.Header{}
	header.Set("webhook-id", os.Args[2])
	header.Set("webhook-timestamp", os.Args[3])
	header.Set("webhook-signature", os.Args[4])
	body, err := os.ReadFile(os.Args[5])
	if err != nil {
		panic(err)
	}
	if !IsGenuine(os.Args[1], header, body) {
		os.Exit(3)
	}
}
`;

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: { file: 'verify.ts', driver: { file: 'driver.ts', text: TYPESCRIPT }, command: ['node', 'driver.ts'] },
  python: { file: 'verify.py', driver: { file: 'driver.py', text: PYTHON }, command: ['python3', 'driver.py'] },
  go: {
    file: 'verify.go',
    driver: { file: 'driver.go', text: GO },
    compile: ['go', 'build', '-o', 'driver', 'verify.go', 'driver.go'],
    command: ['./driver'],
  },
  sh: {
    file: 'verify.sh',
    driver: { file: 'driver.sh', text: '. ./verify.sh\nis_genuine "$@" && exit 0\nexit 3\n' },
    command: ['sh', 'driver.sh'],
  },
};

const run = promisify(execFile);

/** Whether the interpreter of a language is installed. */
export async function isInstalled(kind: string): Promise<boolean> {
  const { compile, command } = LANGUAGES[kind] ?? { command: [] };
  const [program = ''] = compile ?? command;
  return run('sh', ['-c', 'command -v "$1"', 'sh', program]).then(
    () => true,
    () => false,
  );
}

/** Which of the messages a program of the page accepts. It has to exit by itself for each. */
export async function judgedGenuine(block: Block, messages: readonly SignedMessage[]): Promise<boolean[]> {
  const language = LANGUAGES[block.kind];
  if (!language) throw new Error(`nobody knows how to run ${block.kind}`);
  const directory = await mkdtemp(join(tmpdir(), 'waymark-verify-'));
  try {
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    await writeFile(join(directory, language.file), block.text);
    await writeFile(join(directory, language.driver.file), language.driver.text);
    const [compiler, ...options] = language.compile ?? [];
    if (compiler !== undefined) await run(compiler, options, { cwd: directory });
    const judged: boolean[] = [];
    for (const message of messages) judged.push(await isTakenBy(language.command, directory, message));
    return judged;
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function isTakenBy(command: readonly string[], directory: string, message: SignedMessage): Promise<boolean> {
  const { key, id, timestamp, signatures, body } = message;
  await writeFile(join(directory, 'body'), body);
  const [program, ...options] = [...command, key, id, timestamp, signatures, 'body'];
  const { code, stderr } = await run(program, options, { cwd: directory }).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: unknown; stderr: string }) => error,
  );
  if (code !== 0 && code !== 3) throw new Error(`${program} broke off: ${stderr}`);
  return code === 0;
}
