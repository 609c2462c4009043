import * as z from 'zod';
import { isObject } from './json-document.ts';
import { AnyList, listOf, shaped } from './shape.ts';
import { secondsOf, type VexClaim, type VexDocument, type VexProduct, type VexStatus } from './vex-statement.ts';

const LISTS: Readonly<Record<string, VexStatus>> = {
  known_not_affected: 'not_affected',
  known_affected: 'affected',
  first_affected: 'affected',
  last_affected: 'affected',
  fixed: 'fixed',
  first_fixed: 'fixed',
  under_investigation: 'under_investigation',
};

const ProductIds = listOf(z.string());

const Vulnerability = z.object({
  cve: z.string().nullish(),
  ids: listOf(z.object({ text: z.string() })).nullish(),
  product_status: z.record(z.string(), ProductIds).nullish(),
  flags: listOf(z.object({ label: z.string(), product_ids: ProductIds.nullish() })).nullish(),
  threats: listOf(z.object({ category: z.string(), details: z.string(), product_ids: ProductIds.nullish() })).nullish(),
});
type Vulnerability = z.infer<typeof Vulnerability>;

const FullName = z.object({
  product_id: z.string(),
  name: z.string(),
  product_identification_helper: z.object({ purl: z.string().nullish() }).nullish(),
});
type FullName = z.infer<typeof FullName>;

const Branch = z.object({ product: FullName.nullish(), branches: AnyList.nullish() });

const Relationship = z.object({
  product_reference: z.string(),
  relates_to_product_reference: z.string().nullish(),
  full_product_name: FullName,
});

const Document = z.object({
  document: z.object({
    publisher: z.object({ name: z.string() }).nullish(),
    tracking: z.object({ current_release_date: z.string().nullish() }).nullish(),
  }),
  product_tree: z
    .object({
      branches: AnyList.nullish(),
      full_product_names: listOf(FullName).nullish(),
      relationships: listOf(Relationship).nullish(),
    })
    .nullish(),
  vulnerabilities: listOf(Vulnerability),
});

export function isCsaf(document: unknown): boolean {
  return isObject(document) && isObject(document['document']) && 'csaf_version' in document['document'];
}

export function readCsafVex(name: string, document: unknown): VexDocument {
  const { document: about, product_tree: tree, vulnerabilities } = shaped(name, Document, document);
  const products = new Map<string, VexProduct>();
  const add = (product: FullName) => products.set(product.product_id, { ids: [identifierOf(product)], parts: [] });
  for (const product of tree?.full_product_names ?? []) add(product);
  collect(name, tree?.branches ?? [], add);
  // A component within a product.
  for (const { product_reference: part, relates_to_product_reference: whole, ...one } of tree?.relationships ?? []) {
    products.set(one.full_product_name.product_id, {
      ids: products.get(whole ?? '')?.ids ?? [whole ?? identifierOf(one.full_product_name)],
      parts: products.get(part)?.ids ?? [part],
    });
  }
  const at = secondsOf(about.tracking?.current_release_date);
  const claims = vulnerabilities.flatMap((one) => claimsOf(one, products, at));
  return { format: 'CSAF', author: about.publisher?.name ?? '', claims };
}

function identifierOf({ name, product_identification_helper: helper }: FullName): string {
  return helper?.purl || name;
}

function collect(name: string, branches: readonly unknown[], add: (product: FullName) => void): void {
  for (const value of branches) {
    const { product, branches: inner } = shaped(name, Branch, value, ['product_tree', 'branches']);
    if (product) add(product);
    collect(name, inner ?? [], add);
  }
}

/** One for each status and justification. */
function claimsOf(one: Vulnerability, products: ReadonlyMap<string, VexProduct>, at: number | undefined): VexClaim[] {
  const names = [...(one.cve ? [one.cve] : []), ...(one.ids ?? []).map(({ text }) => text)];
  const reasonFor = reasonsIn(one);
  return Object.entries(one.product_status ?? {}).flatMap(([list, ids]) => {
    const status = LISTS[list];
    if (status === undefined || ids.length === 0) return [];
    const byReason = Map.groupBy(ids, (id) => (status === 'not_affected' ? (reasonFor(id) ?? '') : ''));
    return Array.from(
      byReason,
      ([justification, some]): VexClaim => ({
        ...{ names, status, at, justification: justification || undefined },
        products: some.map((id) => products.get(id) ?? { ids: [id], parts: [] }),
      }),
    );
  });
}

/** A flag, or the impact that the profile allows instead. Without products, one is for all. */
function reasonsIn({ flags, threats }: Vulnerability): (id: string) => string | undefined {
  const impacts = (threats ?? []).filter(({ category }) => category === 'impact');
  const all = [
    ...(flags ?? []).map(({ label, product_ids }) => ({ text: label, product_ids })),
    ...impacts.map(({ details, product_ids }) => ({ text: details, product_ids })),
  ];
  const byId = new Map<string, string>();
  for (const { text, product_ids } of all) for (const id of product_ids ?? ['']) if (!byId.has(id)) byId.set(id, text);
  return (id) => byId.get(id) ?? byId.get('');
}
