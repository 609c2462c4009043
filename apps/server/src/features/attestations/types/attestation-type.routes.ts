import * as api from '@waymark/contract';
import { invalidField } from '../../../platform/errors.ts';
import type { App } from '../../../platform/http/app.ts';
import { handle, handlePrepared } from '../../../platform/http/handle.ts';
import { nextLink } from '../../../platform/http/links.ts';
import { textOf } from '../../../platform/http/text-file.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { type StoredRows, storedRows } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import * as reads from './attestation-type.reads.ts';
import * as types from './attestation-type.service.ts';

export function attestationTypeRoutes(app: App, sandbox: Sandbox): void {
  handlePrepared(
    app,
    api.postAttestationType,
    async (ctx, { body, file }) => {
      const draft = fromInput(body, file);
      await types.checkDraft(ctx, sandbox, draft);
      return draft;
    },
    async (ctx, { body }, _, draft) =>
      `Attestation type '${body.name}' has version ${await types.addVersion(ctx, draft)}`,
  );

  handle(app, api.listAttestationTypes, async (ctx, { params, query }, out) => {
    const { types, next } = await reads.listTypes(ctx, query.after);
    if (next) {
      out.header('link', nextLink(app.publicUrl, `/custom-attestation-types/${params.org}`, { after: next }));
    }
    const stored = storedRows(ctx.log, 'custom_attestation_type_version');
    return types.map((type) => toType(type, params.org, stored));
  });

  handle(app, api.getAttestationType, async (ctx, { params, query }) =>
    toType(
      await reads.readType(ctx, params.name, query.version),
      params.org,
      storedRows(ctx.log, 'custom_attestation_type_version'),
    ),
  );

  handle(app, api.archiveAttestationType, async (ctx, { params }) => {
    await types.archiveType(ctx, params.name);
    return `Attestation type '${params.name}' archived`;
  });
}

/** A null member counts as absent. */
function fromInput(input: api.AttestationTypeInput, file: api.UploadedFile | undefined): types.TypeDraft {
  return {
    name: input.name,
    ...(input.description != null && { description: input.description }),
    schema: schemaText(input, file),
    rules: rulesOf(input.evaluator),
    summary: input.summary ?? null,
    ...(input.comment != null && { comment: input.comment }),
  };
}

/** A file is stored as sent. Some clients send the JSON null for "no schema". */
function schemaText(input: api.AttestationTypeInput, file: api.UploadedFile | undefined): string | null {
  if (!file) return input.type_schema ? JSON.stringify(input.type_schema) : null;
  const text = textOf('type_schema', file);
  return text.trim() === 'null' ? null : text;
}

function rulesOf(evaluator: api.AttestationTypeInput['evaluator']): string[] | null {
  if (evaluator?.content_type === 'jq') return evaluator.rules ?? [];
  if (evaluator?.rules?.length) throw invalidField('evaluator.rules', 'require the content_type jq');
  return null;
}

/** `stored` are the rows of its versions. */
function toType(type: reads.TypeView, org: string, stored: StoredRows): api.AttestationType {
  return {
    name: type.name,
    ...(type.description !== '' && { description: type.description }),
    org,
    archived: type.archived_at !== null,
    created_by: type.created_by,
    created_at: epochSeconds(type.created_at),
    last_modified_at: epochSeconds(type.last_modified_at),
    versions: type.versions.map((version) => toVersion(version, stored)),
  };
}

function toVersion(version: reads.TypeView['versions'][number], stored: StoredRows): api.AttestationTypeVersion {
  const key = `${version.type_id}/${version.version}`;
  return {
    version: version.version,
    timestamp: epochSeconds(version.created_at),
    created_by: version.created_by,
    ...(version.comment !== null && { comment: version.comment }),
    type_schema: stored.read<Record<string, unknown> | null>(key, version.schema, null),
    evaluator: version.rules ? { content_type: 'jq', rules: version.rules } : { content_type: 'default' },
    summary: version.summary,
    ...stored.mark(key),
  };
}
