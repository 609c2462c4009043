import type { Ctx } from '../../platform/ctx.ts';
import { contentId } from '../../platform/ids.ts';
import * as store from './component.store.ts';

/**
 * Stores the components of an SBOM, each list once per org. In the transaction of the attestation: a search by component
 * must find all of an SBOM, or nothing of it.
 */
export async function storeComponents(
  ctx: Ctx,
  attestationId: string,
  { trail_id, fingerprint, target_artifact, commit_sha }: store.SbomSubject,
  components: readonly store.NewComponent[],
): Promise<void> {
  const list = normalized(components);
  const listId = contentId(JSON.stringify(list));
  const [known] = await store.lockList(ctx.db, { org_id: ctx.org, list_id: listId });
  const storedRows = known ? 0 : await store.insertComponents(ctx.db, ctx.org, listId, list);
  await store.insertSbom(ctx.db, {
    ...{ org_id: ctx.org, attestation_id: attestationId, list_id: listId },
    ...{ size: list.length, stored_rows: storedRows },
    ...{ trail_id, fingerprint, target_artifact, commit_sha },
  });
}

/** Returns the number of rows that are gone: none while another attestation has the same list. */
export async function forgetComponents(ctx: Ctx, attestationId: string): Promise<number> {
  const [removed] = await store.deleteSbom(ctx.db, { org_id: ctx.org, attestation_id: attestationId });
  if (!removed) return 0;
  const list = { org_id: ctx.org, list_id: removed.list_id };
  await store.lockListAlone(ctx.db, list);
  return (await store.deleteUnusedList(ctx.db, list)).length;
}

/** Each component once, in one order, so that equal lists are stored once whatever the order of the tool. */
function normalized(components: readonly store.NewComponent[]): store.NewComponent[] {
  const unique = new Map(
    components.map(({ name, version, purl, license }) => {
      const component = { name, version, purl, ...(license !== undefined && { license }) };
      return [JSON.stringify(component), component];
    }),
  );
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component);
}
