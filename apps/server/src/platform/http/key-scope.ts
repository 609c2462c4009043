import {
  type Contract,
  type KeyScope,
  type NamePlace,
  namePlaceIn,
  scopeNames,
  scopeReaches,
  scopes,
  scopesReaching,
} from '@waymark/contract';
import { forbidden } from '../errors.ts';

/** The parts of a request that name its flow or environment. None of them has been checked yet. */
export interface SentNames {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

type Asked = Pick<Contract, 'id' | 'method' | 'access'>;

/** Refuses requests outside the scope of a key. What cannot be shown to be within its names is outside. */
export function requireScope(scope: KeyScope, contract: Asked, sent: SentNames): void {
  if (!scopeReaches(scope.kind, contract)) {
    throw forbidden(`This requires ${keyReaching(contract)}; yours has ${scopeText(scope)}`);
  }
  const within = scopeNames(scope);
  const place = namePlaceIn(scope.kind, contract);
  if (!within || !place) return;
  const { limitedTo } = scopes[scope.kind];
  const names = namesAt(place, sent);
  if (names.length === 0) {
    throw forbidden(`This requires the ${limitedTo} in ${placeText(place)}; your key has ${scopeText(scope)}`);
  }
  const outside = names.find((name) => typeof name !== 'string' || !within.includes(name));
  if (outside === undefined) return;
  throw forbidden(
    `This requires a key whose scope includes the ${limitedTo} '${String(outside)}'; yours has ${scopeText(scope)}`,
  );
}

function namesAt(place: NamePlace, sent: SentNames): unknown[] {
  const [part, name] = place.split('.') as ['path' | 'query', string];
  const value = Object.hasOwn(sent[part], name) ? sent[part][name] : undefined;
  const values = Array.isArray(value) ? value : [value];
  return values.filter((one) => one !== undefined && one !== '');
}

function placeText(place: NamePlace): string {
  return place.replace(/^path\.(.*)/, "the path as '$1'").replace(/^query\.(.*)/, "the query parameter '$1'");
}

function keyReaching(contract: Asked): string {
  const kinds = scopesReaching(contract);
  return kinds.length === 0 ? 'a key without a scope' : `a key with the scope ${kinds.join(' or ')}, or without one`;
}

const NAMES_SHOWN = 5;

/** Describes what a key is limited to. */
function scopeText(scope: KeyScope): string {
  const names = scopeNames(scope);
  if (!names) return `the scope ${scope.kind}`;
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `'${name}'`);
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return `the scope ${scope.kind} for the ${scopes[scope.kind].limitedTo} ${shown.join(', ')}${more}`;
}
