import { type AttestationType, getAttestationType, postAttestationType } from '@waymark/contract';
import { collect, given, readPairs } from '../../resources/options.ts';
import { readInput } from '../../resources/read-input.ts';
import { sameJson } from '../../resources/same-json.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { outcomeOf, writing } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'Creates the type, or a new version of an existing one. Nothing changes if the newest version is identical. Data ' +
    'is compliant if it matches the schema and every rule yields true.',
  examples: [
    { say: 'A rule in jq', run: "waymark attestation-type create coverage --rule '.line >= 75'" },
    {
      say: 'With a schema and a summary of the data',
      run: "waymark attestation-type create coverage --schema schema.json --rule '.line >= 75' --summary lines=.line",
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the type')
      .option('--description <text>', 'description of the type')
      .option('--schema <file>', 'file with the JSON Schema of the data, or - for standard input')
      .option('--rule <expression>', 'jq expression that must yield true; can be repeated', collect)
      .option('--summary <name=expression>', 'value to show, as a jq expression; can be repeated', collect)
      .option('--comment <text>', 'comment on this version'),
  async run(session, [name], { description, schema, rule, summary, comment }) {
    const version = {
      type_schema: schema === undefined ? null : readSchema(schema, await readInput(session, schema)),
      evaluator: rule ? { content_type: 'jq' as const, rules: rule } : { content_type: 'default' as const },
      summary: summary
        ? Object.entries(readPairs('--summary', summary)).map(([label, expression]) => ({ name: label, expression }))
        : null,
    };
    const current = await currentType(session, name);
    const [newest] = current?.versions ?? [];
    const isSame =
      current !== undefined &&
      newest !== undefined &&
      sameJson(version, {
        type_schema: newest.type_schema,
        evaluator: newest.evaluator,
        summary: newest.summary,
      }) &&
      (description === undefined || description === (current.description ?? ''));
    if (isSame) {
      return outcomeOf(
        session,
        { name, outcome: 'unchanged', version: newest.version },
        `Attestation type '${name}' unchanged at version ${newest.version}`,
      );
    }
    const message = await session.client().call(postAttestationType, {
      params: { org: session.need('org') },
      body: { name, ...version, ...given({ description, comment }) },
      ...writing(session),
    });
    const outcome = current === undefined ? 'created' : 'updated';
    return outcomeOf(session, { name, outcome, version: (newest?.version ?? 0) + 1 }, message);
  },
});

function currentType(session: Session, name: string): Promise<AttestationType | undefined> {
  const params = { org: session.need('org'), name };
  return unlessMissing(session.client().call(getAttestationType, { params, signal: session.io.signal }));
}

function readSchema(file: string, text: string): Record<string, unknown> {
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema as never;
  } catch (error) {
    throw usageError(`${file} is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
  throw usageError(`${file} is not a JSON Schema`, 'It must be an object');
}
