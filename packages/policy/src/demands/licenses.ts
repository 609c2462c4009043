import { compileGlob } from '@waymark/globs';
import { didYouMean, quoted } from '@waymark/positioned-yaml';
import deprecatedIds from 'spdx-license-ids/deprecated.json' with { type: 'json' };
import ids from 'spdx-license-ids/index.json' with { type: 'json' };
import { z } from 'zod';
import type { Demand, Unmet } from '../demand.ts';
import type { LicenseEvidence } from '../evidence.ts';
import { counted, listed, ofFlow } from '../in-words.ts';

const LISTED_MAX = 200;
const SHOWN = 20;

/** Ids that do not say whether later versions of the license apply. */
export const AMBIGUOUS = /^(?:[AL]?GPL|GFDL)-\d\.\d\+?$/;

const LicenseName = z
  .string()
  .min(1)
  .max(200)
  .superRefine((name, ctx) => {
    const message = problemWithLicense(name);
    if (message !== null) ctx.addIssue({ code: 'custom', message });
  });

const Listed = z
  .array(LicenseName)
  .min(1)
  .max(LISTED_MAX, { error: `A list may have at most ${LISTED_MAX} licenses.` })
  .optional();

export const LicenseRule = z
  .strictObject({
    allow: Listed.meta({ description: 'The licenses that are allowed, by SPDX id. "*" matches any characters.' }),
    deny: Listed.meta({ description: 'The licenses that are not allowed, by SPDX id. "*" matches any characters.' }),
    unknown: z.enum(['allow', 'deny']).optional().meta({
      description:
        'Whether components without a license, or with one that is no SPDX expression, are allowed. The default is "deny" with a list of allowed licenses, and "allow" without.',
    }),
  })
  .refine(({ allow, deny }) => allow !== undefined || deny !== undefined, {
    error: '"licenses" must have "allow" or "deny", a list of licenses.',
  })
  .meta({ description: 'Which licenses the components of an SBOM may have.' });
export type LicenseRule = z.output<typeof LicenseRule>;

/** Judges the licenses of an SBOM. Of licenses to choose from, it is sufficient that one is allowed. */
export function licensesDemand(rule: LicenseRule): Demand {
  const isAllowed = allowedBy(rule);
  return {
    field: 'licenses',
    value: rule,
    inWords: inWords(rule),
    judge: ({ name, licenses }, { flow }) => {
      if (licenses === undefined) {
        return {
          fails: false,
          context: { licenses: null },
          found: `'${name}' has no licenses that can be read`,
          fix: `Report '${name}' again ${ofFlow(flow)}, with an SBOM that lists the licenses of its components.`,
        };
      }
      const bad = licenses.filter(({ expression }) => !isAllowed(expression));
      return bad.length === 0 ? null : denied(name, bad, ofFlow(flow));
    },
  };
}

function denied(name: string, bad: readonly LicenseEvidence[], where: string): Unmet {
  const holders = bad.map(({ count, components }) => listed(components, count));
  const shown = bad.map(({ expression }, i) => `${expression ?? 'no known license'} (${holders[i]})`);
  return {
    fails: true,
    context: {
      licenses: bad.slice(0, SHOWN).map(({ expression, count, components }) => ({ expression, count, components })),
    },
    found: `'${name}' has ${counted(bad.length, 'license')} that ${bad.length === 1 ? 'is' : 'are'} not allowed: ${listed(shown)}`,
    fix: `Replace ${holders[0]}${bad.length > 1 ? ' and the others' : ''}, and report '${name}' again ${where}, or override '${name}' with a reason.`,
  };
}

/** An exact entry for a license with its exception takes precedence over one for the license. */
function allowedBy({ allow, deny = [], unknown }: LicenseRule): (expression: string | null) => boolean {
  const [isDenied, isListed] = [matcherOf(deny), matcherOf(allow ?? [])];
  const unknownIs = unknown ?? (allow === undefined ? 'allow' : 'deny');
  const isLicenseAllowed = (license: string): boolean => {
    const [id = license] = license.split(' WITH ', 1);
    for (const name of id === license ? [license] : [license, id]) {
      if (isDenied(name)) return false;
      if (isListed(name)) return true;
    }
    return allow === undefined;
  };
  return (expression) => (expression === null ? unknownIs === 'allow' : holds(tokensOf(expression), isLicenseAllowed));
}

function matcherOf(names: readonly string[]): (license: string) => boolean {
  const exact = new Set(names.filter((name) => !name.includes('*')).map((name) => name.toLowerCase()));
  const patterns = names.filter((name) => name.includes('*')).map((name) => compileGlob(name.toLowerCase()));
  return (license) => {
    const name = license.toLowerCase();
    return exact.has(name) || patterns.some((matches) => matches(name));
  };
}

export function tokensOf(expression: string): string[] {
  return expression.match(/[()]|[^\s()]+/g) ?? [];
}

/** `A OR (B AND C WITH D)`, as it was brought into form when it was read. Its length is bounded. */
function holds(tokens: string[], isAllowed: (license: string) => boolean): boolean {
  const any = (): boolean => {
    let result = all();
    while (tokens[0] === 'OR') {
      tokens.shift();
      const next = all();
      result ||= next;
    }
    return result;
  };
  const all = (): boolean => {
    let result = one();
    while (tokens[0] === 'AND') {
      tokens.shift();
      const next = one();
      result &&= next;
    }
    return result;
  };
  const one = (): boolean => {
    const token = tokens.shift() ?? '';
    if (token === '(') {
      const result = any();
      tokens.shift();
      return result;
    }
    const exception = tokens[0] === 'WITH' ? tokens.splice(0, 2)[1] : undefined;
    return isAllowed(exception === undefined ? token : `${token} WITH ${exception}`);
  };
  return any();
}

const KNOWN = new Set([...ids, ...deprecatedIds].map((id) => id.toLowerCase()));

/** Returns why a name is no SPDX license, nor a pattern for some, or null. */
export function problemWithLicense(name: string): string | null {
  const [id = name] = name.split(' WITH ', 1);
  if (AMBIGUOUS.test(id)) {
    const version = id.replace('+', '');
    return `${quoted(name)} does not say whether later versions apply: use "${version}-only", "${version}-or-later", or "${version}*".`;
  }
  if (/^(?:DocumentRef-[\w.-]+:)?LicenseRef-[\w.*-]+$/.test(id)) return null;
  if (id.includes('*')) {
    const matches = compileGlob(id.toLowerCase());
    return [...KNOWN].some((known) => matches(known)) ? null : `No SPDX license matches ${quoted(name)}.`;
  }
  if (KNOWN.has(id.toLowerCase().replace(/\+$/, ''))) return null;
  return `${quoted(name)} is not the id of an SPDX license.${didYouMean(id, ids)}`;
}

function inWords({ allow = [], deny = [] }: LicenseRule): string {
  return [
    allow.length === 0 ? '' : `, with no licenses but ${listed(allow)}`,
    deny.length === 0 ? '' : `, ${allow.length === 0 ? 'with' : 'and'} no ${listed(deny)}`,
  ].join('');
}
