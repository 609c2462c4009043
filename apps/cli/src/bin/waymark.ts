#!/usr/bin/env node
import { version } from '../run/version.ts';

const line = process.argv.slice(2);

// The commands that scripts run most often load nothing else.
if (line.length === 1 && (line[0] === '--version' || line[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const [{ main }, { processIo }] = await Promise.all([import('../main.ts'), import('./process-io.ts')]);
  try {
    process.exitCode = await main(line, processIo());
  } catch (error) {
    // Nothing works without the files that these variables name.
    process.stderr.write(`✕ ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
