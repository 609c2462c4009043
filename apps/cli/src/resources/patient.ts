import type { Client } from '@waymark/client';
import { openSession } from '../run/open-session.ts';
import type { Session } from '../run/session.ts';

/** The service may take a minute for these, and begins anew when asked again. */
const PATIENCE_MS = 90_000;

/** A client that waits that long, unless somebody said how long to wait. */
export function patient(session: Session): Client {
  const { io, settings, sources, project, ci } = session;
  if (sources.timeout !== 'built in') return session.client();
  return openSession(io, { settings: { ...settings, timeout: PATIENCE_MS }, sources, project }, ci).client();
}
