import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../http/app.ts';
import { type Html, html } from '../http/html.ts';
import { type Page, sendAnswer } from '../http/page.ts';
import { epochSeconds } from '../time.ts';
import { VERSION } from '../version.ts';
import { type ComponentStatus, createStatusReader, type InstallationStatus } from './installation-status.ts';

const RETRY_AFTER_S = 5;

/**
 * Shows anyone whether this installation works, as a page or as JSON. It reads no cookie and no table of an org: it must
 * stay cheap for strangers, and tell them nothing else.
 */
export function statusPage(app: App): void {
  const readStatus = createStatusReader(app);
  app.http.get('/status', async (request, reply) => {
    const status = await readStatus();
    reply.header('vary', 'accept');
    if (status.status === 'unavailable') reply.header('retry-after', RETRY_AFTER_S);
    return prefersJson(request) ? sendJsonStatus(request, reply, status) : sendAnswer(app, reply, pageOf(status));
  });
}

function prefersJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('application/json') && !accept.includes('text/html');
}

function codeOf({ status }: InstallationStatus): number {
  return status === 'unavailable' ? 503 : 200;
}

function sendJsonStatus(request: FastifyRequest, reply: FastifyReply, status: InstallationStatus): FastifyReply {
  const { checkedAt, ...shown } = status;
  const body = { ...shown, version: VERSION, checked_at: epochSeconds(checkedAt), forwarding: forwardingOf(request) };
  return reply.code(codeOf(status)).header('cache-control', 'no-store').send(body);
}

/** Tells an operator whether the proxy of this very request is in WAYMARK_TRUSTED_PROXIES. */
function forwardingOf({ headers, ips = [] }: FastifyRequest): 'none' | 'trusted' | 'ignored' {
  if (headers['x-forwarded-for'] === undefined) return 'none';
  return ips.length > 1 ? 'trusted' : 'ignored';
}

const SUMMARIES: Record<InstallationStatus['status'], string> = {
  operational: 'All systems operational',
  degraded: 'Degraded: some components are unavailable or delayed',
  unavailable: 'Outage: requests cannot be served',
};

const NAMES: Record<keyof InstallationStatus['components'], string> = {
  database: 'Database',
  evidence_files: 'Evidence files',
  stream: 'Event stream',
  worker: 'Worker',
};

const STATES: Record<ComponentStatus['status'], { readonly text: string; readonly tag: string }> = {
  operational: { text: 'Operational', tag: 'tag' },
  degraded: { text: 'Degraded', tag: 'tag bad' },
  unavailable: { text: 'Unavailable', tag: 'tag bad' },
  unknown: { text: 'Unknown', tag: 'tag neutral' },
  not_configured: { text: 'Not used', tag: 'tag neutral' },
};

function pageOf(status: InstallationStatus): Page {
  const { components, checkedAt } = status;
  const names = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const note = status.status === 'operational' ? 'note' : 'note bad';
  return {
    title: 'Status',
    status: codeOf(status),
    body: html`<p class="${note}" role="status">${SUMMARIES[status.status]}</p>
<table>
<thead class="unseen"><tr><th scope="col">Component</th><th scope="col">Status</th></tr></thead>
<tbody>${names.map((name) => rowOf(NAMES[name], components[name]))}</tbody>
</table>
<dl>
<dt>Version</dt><dd>${VERSION}</dd>
<dt>Checked at</dt><dd>${timeOf(checkedAt)}</dd>
</dl>`,
  };
}

function rowOf(name: string, { status, detail, lag_seconds: lag }: ComponentStatus): Html {
  const { text, tag } = STATES[status];
  const details = [detail, lag && `The oldest unprocessed entry is ${lag} seconds old.`].filter(Boolean).join(' ');
  return html`
<tr><th scope="row" class="short">${name}</th><td><span class="${tag}">${text}</span>${details && html`<p class="quiet">${details}</p>`}</td></tr>`;
}

function timeOf(at: Date): Html {
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
