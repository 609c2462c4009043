import { type Call, send } from '../call.ts';
import { captureStatements, type Logged } from '../capture.ts';
import { type Installation, run } from '../installation.ts';

export interface Plans {
  readonly statements: number;
  /** Statements with a table that they would scan. */
  readonly scans: readonly string[];
}

/** Explains every statement that the server sends for the calls, and finds scans of the tables. */
export async function explainAll(
  installation: Installation,
  key: string,
  callAll: () => readonly Call[],
  tables: readonly string[],
): Promise<Plans> {
  const scan = new RegExp(`Seq Scan on (${tables.join('|')})(?= |$)`, 'gm');
  const captured = await captureStatements(installation, async () => {
    for (const call of callAll()) await send(installation.url, key, call);
  });
  const statements = [...new Map(captured.map((statement) => [statement.text, statement])).values()].filter(
    ({ text }) => /^\s*(select|with|insert|update|delete)\b/i.test(text),
  );
  const scans = statements.flatMap((statement) =>
    modesOf(statement).flatMap((mode) =>
      [...explain(installation, statement, mode).matchAll(scan)].map(
        ([scan]) => `${scan} (${mode}): ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
      ),
    ),
  );
  return { statements: statements.length, scans: [...new Set(scans)] };
}

/** After a while a named statement gets a generic plan, the others one for their values each time. */
function modesOf({ name }: Logged): string[] {
  return name.startsWith('<') ? ['force_custom_plan'] : ['force_custom_plan', 'force_generic_plan'];
}

function explain(installation: Installation, { text, values }: Logged, mode: string): string {
  const literals = values.map((value) => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`));
  const execute = literals.length === 0 ? 'execute asked' : `execute asked (${literals.join(', ')})`;
  // As input, because an argument may not be longer than 128 KB.
  const input = `set plan_cache_mode = ${mode};\nprepare asked as ${text};\nexplain ${execute};\n`;
  return run('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', installation.databaseUrl], process.env, input);
}
