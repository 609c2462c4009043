import { patchTags } from '@waymark/contract';
import { usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import { writing } from './write.ts';

export const taggable = ['flow', 'env', 'repo', 'control'] as const;
type Taggable = (typeof taggable)[number];

type Changes = { set_tags: Record<string, string> } | { remove_tags: string[] };

export function changeTags(session: Session, type: string, id: string, body: Changes): Promise<string> {
  const params = { org: session.need('org'), type: readType(type), id };
  return session.client().call(patchTags, { params, body, ...writing(session) });
}

function readType(text: string): Taggable {
  const type = text === 'environment' ? 'env' : text;
  const found = taggable.find((known) => known === type);
  if (found) return found;
  throw usageError(`'${text}' cannot have tags`, `Use one of ${taggable.join(', ')}`);
}
