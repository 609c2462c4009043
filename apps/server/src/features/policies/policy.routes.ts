import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { invalidField } from '../../platform/errors.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesAfter } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { created, handle, updated } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { textOf } from '../../platform/http/text-file.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { storedRows } from '../../platform/stored-json.ts';
import * as reads from './policy.reads.ts';
import * as policies from './policy.service.ts';
import { EXPORTED_POLICIES } from './policy-export.ts';
import { inBrackets, listProblems, screenPolicy } from './policy-text.service.ts';
import { toPolicy } from './policy-view.ts';

export function policyRoutes(app: App, sandbox: Sandbox): void {
  handle(app, api.putPolicy, async (ctx, { params: { name }, body, file }) => {
    if (body.name != null && body.name !== name) {
      throw invalidField('name', `must be '${name}' as in the path, or be absent`);
    }
    return put(sandbox, ctx, name, body, file);
  });

  handle(app, api.putNamedPolicy, async (ctx, { body, file }) => put(sandbox, ctx, body.name, body, file));

  handle(app, api.listPolicies, async (ctx, { params, query }, out) => {
    const { policies, next } = await reads.listPolicies(ctx, filterOf(query), query.after);
    if (next) out.header('link', nextLink(app.publicUrl, `/policies/${params.org}`, { ...query, after: next }));
    const stored = storedRows(ctx.log, 'policy_event');
    return policies.map((policy) => toPolicy(policy, stored));
  });

  handleExport(app, api.exportPolicies, EXPORTED_POLICIES, async (ctx, { params, query }) => {
    const filter = filterOf(query);
    const stored = storedRows(ctx.log, 'policy_event');
    return {
      name: `policies-${params.org}`,
      total: await reads.countPolicies(ctx, filter),
      pages: pagesAfter(async (after: string | undefined) => {
        const { policies, next } = await reads.listPolicies(ctx, filter, after, EXPORT_BATCH);
        return { items: policies.map((policy) => toPolicy(policy, stored)), next };
      }),
    };
  });

  handle(app, api.getPolicy, (ctx, { params }) => shown(ctx, params.name));

  handle(app, api.archivePolicy, async (ctx, { params }) => {
    await policies.archivePolicy(ctx, params.name);
    return `Policy '${params.name}' archived`;
  });

  handle(app, api.validatePolicy, async (ctx, { body }) => {
    const problems = await listProblems(ctx, sandbox, body.policy_yaml);
    return {
      valid: problems.length === 0,
      problems: problems.map(({ path, line, column, message }) => ({ path: inBrackets(path), line, column, message })),
    };
  });
}

function filterOf({ archived, name }: api.Input<typeof api.exportPolicies>['query']): reads.PolicyFilter {
  return { withArchived: archived === 'true', nameContains: name };
}

async function shown(ctx: Ctx, name: string): Promise<api.Policy> {
  return toPolicy(await reads.readPolicy(ctx, name), storedRows(ctx.log, 'policy_event'));
}

/** In the API, null counts as absent. */
async function put(
  sandbox: Sandbox,
  ctx: Ctx,
  name: string,
  input: api.PolicyInput,
  file: api.UploadedFile | undefined,
) {
  const policy_yaml = policyText(input, file);
  await screenPolicy(ctx, sandbox, policy_yaml);
  const outcome = await policies.putPolicy(ctx, {
    name,
    policy_yaml,
    // Clients that send a file send an empty description when they mean none.
    ...(input.description != null && !(file && input.description === '') && { description: input.description }),
    ...(input.comment != null && { comment: input.comment }),
  });
  const policy = await shown(ctx, name);
  return outcome === 'created' ? created(policy) : updated(policy);
}

function policyText({ policy_yaml }: api.PolicyInput, file: api.UploadedFile | undefined): string {
  if (file) return textOf('policy_file', file);
  if (policy_yaml == null) throw invalidField('policy_yaml', 'is required, or policy_file in a form');
  return policy_yaml;
}
