import * as z from 'zod';
import { isObject } from './json-document.ts';
import { listOf, shaped } from './shape.ts';
import { secondsOf, VEX_STATUSES, type VexClaim, type VexDocument, type VexProduct } from './vex-statement.ts';

const Texts = z.record(z.string(), z.string());
const Identified = { '@id': z.string().nullish(), identifiers: Texts.nullish(), hashes: Texts.nullish() };
const Component = z.union([z.string(), z.object(Identified)]);
type Component = z.infer<typeof Component>;
const Product = z.union([z.string(), z.object({ ...Identified, subcomponents: listOf(Component).nullish() })]);

const Vulnerability = z.union([
  z.string(),
  z.object({ '@id': z.string().nullish(), name: z.string().nullish(), aliases: listOf(z.string()).nullish() }),
]);

const Times = { timestamp: z.string().nullish(), last_updated: z.string().nullish() };

const Statement = z.object({
  ...Times,
  vulnerability: Vulnerability,
  products: listOf(Product).nullish(),
  status: z.enum(VEX_STATUSES),
  justification: z.string().nullish(),
  impact_statement: z.string().nullish(),
});
type Statement = z.infer<typeof Statement>;

const Document = z.object({ ...Times, author: z.string().nullish(), statements: listOf(Statement) });

export function isOpenVex(document: unknown): boolean {
  if (!isObject(document)) return false;
  const contexts = [document['@context']].flat();
  return contexts.some((one) => typeof one === 'string' && one.startsWith('https://openvex.dev/ns'));
}

export function readOpenVex(name: string, document: unknown): VexDocument {
  const { author, statements, ...times } = shaped(name, Document, document);
  const claims = statements.map((statement) => claimOf(statement, secondsOf(times.last_updated, times.timestamp)));
  return { format: 'OpenVEX', author: author ?? '', claims };
}

function claimOf({ vulnerability, products, status, ...stated }: Statement, at: number | undefined): VexClaim {
  const names =
    typeof vulnerability === 'string'
      ? [vulnerability]
      : [vulnerability.name ?? nameIn(vulnerability['@id']), ...(vulnerability.aliases ?? [])];
  return {
    names,
    products: (products ?? []).map(productOf),
    status,
    // An impact statement is an alternative to a justification.
    justification: stated.justification || stated.impact_statement || undefined,
    at: secondsOf(stated.last_updated, stated.timestamp) ?? at,
  };
}

function nameIn(id: string | null | undefined): string {
  return id?.split('/').at(-1) ?? '';
}

function productOf(product: z.infer<typeof Product>): VexProduct {
  const parts = typeof product === 'string' ? [] : (product.subcomponents ?? []);
  return { ids: idsOf(product), parts: parts.flatMap(idsOf) };
}

function idsOf(one: Component): string[] {
  if (typeof one === 'string') return [one];
  const sha256 = one.hashes?.['sha-256'];
  return [one['@id'], one.identifiers?.['purl'], sha256 && `sha256:${sha256}`].filter((id) => typeof id === 'string');
}
