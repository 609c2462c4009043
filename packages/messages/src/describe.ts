import { cutEnd, onOneLine } from './bounded-text.ts';
import type { Message, MessageContent } from './content.ts';
import { shortName } from './join.ts';
import { calledIn, thingsOf } from './things.ts';

const NAMED = 3;
const MAX_WHY_LENGTH = 500;
const MAX_LENGTH = 1_200;

type Described = Pick<Message, 'trigger' | 'count' | 'content'>;

/** What happened, where, and why, in a sentence or two. */
export function describeMessage(message: Described): string {
  return cutEnd(textOf(message), MAX_LENGTH);
}

function textOf({ trigger, count, content }: Described): string {
  const inEnvironment = `in ${shortName(content.environment ?? 'an environment')}`;
  const inFlow = `in flow ${shortName(content.flow ?? '')}`.trimEnd();
  switch (trigger) {
    case 'ON_STARTED_ARTIFACT':
      return several(count, content, 'artifacts', `started ${inEnvironment}`) + verdictOf(count, content);
    case 'ON_EXITED_ARTIFACT':
      return several(count, content, 'artifacts', `exited ${inEnvironment}`);
    case 'ON_SCALED_ARTIFACT':
      return several(count, content, 'artifacts', `scaled ${inEnvironment}`) + alone(count, after(content));
    case 'ON_ALLOWED_ARTIFACT':
      return several(count, content, 'artifacts', `got a waiver ${inEnvironment}`) + alone(count, because(content));
    case 'ON_NON_COMPLIANT_ENV':
      return `${shortName(content.environment ?? 'An environment')} is not compliant${because(content)}${fixOf(content)}`;
    case 'ON_COMPLIANT_ENV':
      return `${shortName(content.environment ?? 'An environment')} is compliant${after(content)}`;
    case 'ON_EXPIRING_EVIDENCE':
      return (
        several(count, content, 'artifacts', `will not be compliant ${inEnvironment}`) + alone(count, because(content))
      );
    case 'ON_STARTED_TRAIL':
      return several(count, content, 'trails', `started ${inFlow}`, 'Trail ');
    case 'ON_ATTESTED_PROVENANCE':
      return count === 1
        ? `${firstName(content)} was reported in ${trailOf(content)}flow ${shortName(content.flow ?? '')}`.trimEnd()
        : several(count, content, 'artifacts', `were reported in flow ${shortName(content.flow ?? '')}`.trimEnd());
    case 'ON_ATTESTATION':
      return attestationsOf(count, content, inFlow);
    case 'api_key_expiry':
      return expiryOf(content);
    case 'TEST':
      return `This is a test message${testOf(content)}: nothing has happened`;
  }
}

/** "web started in prod", "web started in prod, 4 times", "12 artifacts started in prod: a, b, c and 9 more". */
function several(count: number, content: MessageContent, plural: string, verb: string, before = ''): string {
  if (count === 1) return `${before}${firstName(content)} ${verb}`;
  const { names, areAll } = thingsOf(content);
  const again = areAll && names.length < count;
  if (again && names.length === 1) return `${before}${firstName(content)} ${verb}, ${count} times`;
  if (again) return `${names.length} ${plural} ${verb}, ${count} times in all: ${listed(names, names.length)}`;
  return `${count} ${plural} ${verb}${names.length === 0 ? '' : `: ${listed(names, count)}`}`;
}

/** "a", "a and b", "a, b, c and 9 more". */
function listed(names: readonly string[], total: number): string {
  const shown = names.slice(0, NAMED);
  const left = total - shown.length;
  const all = left > 0 ? [...shown, `${left} more`] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function firstName({ names, artifact, trail, attestation }: MessageContent): string {
  return shortName(names[0] ?? artifact?.name ?? attestation?.name ?? trail?.name ?? 'Something');
}

function because({ why }: MessageContent): string {
  const text = inWords(why);
  return text === '' ? '' : `: ${text}`;
}

/** The continuation of the text: "from 2 to 3 instances", "again after the latest report". */
function after({ why }: MessageContent): string {
  const text = inWords(why);
  return text === '' ? '' : ` ${text}`;
}

function fixOf({ fix }: MessageContent): string {
  const text = inWords(fix);
  return text === '' ? '' : ` What to do: ${text}`;
}

function inWords(text: string | null | undefined): string {
  return cutEnd(onOneLine(text ?? ''), MAX_WHY_LENGTH);
}

function alone(count: number, text: string): string {
  return count === 1 ? text : '';
}

/** Of several, only one that is not compliant is included. */
function verdictOf(count: number, content: MessageContent): string {
  const { artifact } = content;
  if (artifact?.compliant !== false) return alone(count, because(content));
  const verdict = `is not compliant${because(content)}${fixOf(content)}`;
  return count === 1 ? ` and ${verdict}` : `. ${calledIn(content, artifact)} ${verdict}`;
}

function testOf({ test }: MessageContent): string {
  return test ? ` of ${shortName(test.of)}, sent by ${shortName(test.by)}` : '';
}

function trailOf({ trail }: MessageContent): string {
  return trail ? `trail ${shortName(trail.name)} of ` : '';
}

function attestationsOf(count: number, content: MessageContent, inFlow: string): string {
  const { attestation } = content;
  if (!attestation) return several(count, content, 'attestations', `recorded ${inFlow}`);
  const { name, type, compliant } = attestation;
  const verdict = `is ${compliant ? 'compliant' : 'not compliant'}${because(content)}`;
  const what = `${shortName(name)} (${shortName(type)})`;
  if (count === 1) return `${what} was recorded in ${trailOf(content)}${inFlow.slice('in '.length)} and ${verdict}`;
  const all = several(count, content, 'attestations', `recorded ${inFlow}`);
  return compliant ? all : `${all}. ${what} ${verdict}`;
}

function expiryOf({ apiKey }: MessageContent): string {
  if (!apiKey) return 'An API key expires';
  const { description, owner, daysLeft } = apiKey;
  const named = description.trim() === '' ? 'An API key' : `API key '${shortName(description)}'`;
  const when = daysLeft <= 0 ? 'has expired' : `expires in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`;
  return `${named} of ${shortName(owner)} ${when}`;
}
