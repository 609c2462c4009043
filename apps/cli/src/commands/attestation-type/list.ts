import { listAttestationTypes } from '@waymark/contract';
import { limitOption, listItems } from '../../resources/list-items.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [{ say: 'All custom types', run: 'waymark attestation-type list' }],
  build: (command) => command.addOption(limitOption()),
  async run(session, _, { limit }) {
    const types = await listItems(
      session,
      session.client().items(listAttestationTypes, { params: { org: session.need('org') }, signal: session.io.signal }),
      limit,
    );
    return {
      data: types,
      rows: rowsOf({
        items: types,
        columns: [
          { title: 'name', of: ({ name }) => name },
          { title: 'version', of: ({ versions }) => versions[0]?.version },
          { title: 'rules', of: ({ versions }) => versions[0]?.evaluator.rules?.length ?? 0 },
          { title: 'changed', of: ({ last_modified_at }) => showTime(last_modified_at, session) },
          { title: 'description', of: ({ description = '' }) => description },
        ],
        name: ({ name }) => name,
        none: "No custom attestation types yet. Create one with 'waymark attestation-type create NAME'.",
      }),
    };
  },
});
