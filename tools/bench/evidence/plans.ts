import { send } from '../call.ts';
import { captureStatements, type Logged } from '../capture.ts';
import { type Installation, run } from '../installation.ts';
import { questions } from './questions.ts';
import type { Size } from './rows.ts';

const SCAN = /Seq Scan on (attestation|artifact|trail_commit|trail)(?= |$)/gm;

export interface Plans {
  readonly statements: number;
  /** Statements with a table that they would read from one end to the other. */
  readonly scans: readonly string[];
}

/** Explains every statement that the server sends to answer the questions. */
export async function explainAll(installation: Installation, key: string, size: Size): Promise<Plans> {
  const captured = await captureStatements(installation, async () => {
    for (const ask of Object.values(questions)) await send(installation.url, key, ask(size));
  });
  const statements = [...new Map(captured.map((statement) => [statement.text, statement])).values()].filter(
    ({ text }) => /^\s*(select|with|insert|update|delete)\b/i.test(text),
  );
  const scans = statements.flatMap((statement) =>
    modesOf(statement).flatMap((mode) =>
      [...explain(installation, statement, mode).matchAll(SCAN)].map(
        ([scan]) => `${scan} (${mode}): ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
      ),
    ),
  );
  return { statements: statements.length, scans: [...new Set(scans)] };
}

/** A statement with a name is planned for any values after a while, the others for theirs each time. */
function modesOf({ name }: Logged): string[] {
  return name.startsWith('<') ? ['force_custom_plan'] : ['force_custom_plan', 'force_generic_plan'];
}

function explain(installation: Installation, { text, values }: Logged, mode: string): string {
  const literals = values.map((value) => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`));
  const execute = literals.length === 0 ? 'execute asked' : `execute asked (${literals.join(', ')})`;
  return run('psql', [
    ...['-qAtX', '-v', 'ON_ERROR_STOP=1', installation.databaseUrl],
    ...['-c', `set plan_cache_mode = ${mode}`, '-c', `prepare asked as ${text}`, '-c', `explain ${execute}`],
  ]);
}
