import type { Session } from '../run/session.ts';
import { oneLine } from '../run/table.ts';
import { nothingPushed, type PushResult } from '../spool/push.ts';
import { openSpool, type Spool } from '../spool/spool.ts';
import { SpoolError } from '../spool/spool-error.ts';

/**
 * An unusable spool must not keep evidence from an available service: it counts as empty, with a warning. Losing the
 * current evidence would be worse than sending it before older entries. Only spooling itself can fail.
 */
export function lenientSpool(session: Session): Spool {
  const spool = openSpool(session.spoolDirectory);
  const orWarn = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof SpoolError)) throw error;
      warnOnce(session, error.why, `${error.message}: ${oneLine(error.why)}. ${oneLine(error.fix)}`);
      return otherwise;
    }
  };
  return {
    ...spool,
    waits: (line) => orWarn(spool.waits(line), false),
    push: (send, options) => orWarn(spool.push(send, options), nothingPushed),
    supersede: (line, until) => orWarn(spool.supersede(line, until), 0),
  };
}

/** Always warns about spooled entries that will not be delivered without action. */
export function tellLost(session: Session, { refused, damaged }: PushResult): void {
  const [first] = refused;
  const status = "'waymark spool status' lists all";
  if (first) {
    const { entry, reason } = first;
    session.warn(
      `Refused from the spool: ${refused.length}, first ${oneLine(entry.operation)}: ${oneLine(reason)}; ${status}`,
    );
  }
  const [broken] = damaged;
  if (broken) {
    const { file, why } = broken;
    warnOnce(
      session,
      file,
      `Damaged in the spool, not sent: ${damaged.length}, first ${oneLine(file)}: ${why}; ${status}`,
    );
  }
}

const warned = new WeakMap<Session, Set<string>>();

/** A command that sends several requests meets the same obstacle with each. */
function warnOnce(session: Session, about: string, text: string): void {
  const before = warned.get(session) ?? new Set();
  warned.set(session, before);
  if (before.has(about)) return;
  before.add(about);
  session.warn(text);
}
