import type { Client } from '@waymark/client';
import { openSession } from '../run/open-session.ts';
import type { Session } from '../run/session.ts';

/** The service may take a minute for these, and starts over on a retry. */
const PATIENCE_MS = 90_000;

/** Returns a client with a long timeout, unless the user set one. */
export function patient(session: Session): Client {
  const { io, settings, sources, project, ci } = session;
  if (sources.timeout !== 'built in') return session.client();
  return openSession(io, { settings: { ...settings, timeout: PATIENCE_MS }, sources, project }, ci).client();
}
