import { didYouMean, quoted } from '@waymark/positioned-yaml';
import { KNOWN_BEGINNINGS, NAMES } from './reference.ts';

const CONSTANTS = ['true', 'false', 'null', 'none', 'nil', 'undefined'];

/** What to write in place of a name that stands for nothing. */
export function unknownNameMessage(name: string): string {
  if (CONSTANTS.includes(name.toLowerCase())) {
    return `There is no "${name}" here; write the condition itself, such as exists(flow.tags.risk).`;
  }
  if (name === 'artifact') return 'Name a property of the artifact: artifact.name or artifact.fingerprint.';
  if (name.startsWith('artifact.tags')) {
    return 'Artifacts have no tags; flow.tags.<key> and environment.tags.<key> exist.';
  }
  const tags = name.replace(/\.$/, '');
  if (tags === 'flow.tags' || tags === 'environment.tags') return `Name the tag, as in: ${tags}.risk.`;
  const key = /^(?:flow|environment)\.tags\.(.*)$/.exec(name)?.[1];
  if (key !== undefined) return `The key of a tag begins with a letter or a digit: ${quoted(key)}.`;
  return `Unknown name ${quoted(name)}; there are ${NAMES.join(', ')}.${suggestionFor(name)}`;
}

/** Of a misspelt name with tags, only what comes before the key can be compared. */
function suggestionFor(name: string): string {
  const [context = '', field = '', ...key] = name.split('.');
  if (key.length === 0) return didYouMean(name, KNOWN_BEGINNINGS);
  const meant = didYouMean(
    `${context}.${field}`,
    KNOWN_BEGINNINGS.filter((known) => known.endsWith('.tags')),
  );
  return meant.replace('"?', `.${key.join('.')}"?`);
}
