import { decodeReceipt, encodeReceipt } from '../../platform/db/paginate.ts';
import { invalidField } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';

/** A cursor in a list of deployments. Many may start at one time, and many in one snapshot. */
export interface DeploymentPlace {
  readonly started_at: Date;
  readonly environment_id: string;
  readonly index: number;
  readonly no: number;
}

const INTEGER_MAX = 2 ** 31 - 1;

export function encodePlace({ started_at, environment_id, index, no }: DeploymentPlace): string {
  return [encodeReceipt(started_at.getTime()), environment_id, encodeReceipt(index), encodeReceipt(no)].join('.');
}

export function decodePlace(text: string): DeploymentPlace {
  const [at = '', environment_id = '', index = '', no = '', ...rest] = text.split('.');
  if (rest.length > 0 || !isId(environment_id)) {
    throw invalidField('query.after', 'is not a valid cursor: use the one from the previous page unchanged');
  }
  return { started_at: new Date(decodeReceipt(at)), environment_id, index: integer(index), no: integer(no) };
}

function integer(text: string): number {
  return Math.min(decodeReceipt(text), INTEGER_MAX);
}
