import type { Ctx } from '../../../platform/ctx.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { readTrailReport, type TrailReport } from '../audit-packages/trail-report.service.ts';
import { verdictMark } from '../kit/verdict-mark.ts';
import { readHistory } from './environment-history.ts';
import { environmentContent, type ReportContext } from './environment-report.ts';
import type { Period } from './period.ts';
import { type PrintedReport, reportPage } from './report-page.ts';

export interface PrintableReport {
  /** File name without an extension. */
  readonly name: string;
  readonly page: string;
  /** Digest of the content. */
  readonly sha256: string;
}

export async function trailReport(
  ctx: Ctx,
  place: ReportContext,
  flowName: string,
  trailName: string,
): Promise<PrintableReport> {
  const trail = await readTrailReport(ctx, place, flowName, trailName);
  const title = `Trail ${trail.trailName} of flow ${trail.flowName}`;
  return made(ctx, place, `trail-${trail.flowName}-${trail.trailName}`, { title, content: trailContent(trail) });
}

export async function environmentReport(
  ctx: Ctx,
  place: ReportContext,
  name: string,
  period: Period,
): Promise<PrintableReport> {
  const history = await readHistory(ctx, name, period);
  const content = environmentContent(history, place);
  const [from, to] = [period.from, period.to].map((at) => at.toISOString().slice(0, 10));
  const { name: now } = history.environment;
  return made(ctx, place, `environment-${now}-${from}-${to}`, {
    title: `Environment ${now} from ${from} to ${to}`,
    content,
  });
}

function made(ctx: Ctx, { publicUrl }: ReportContext, name: string, report: PrintedReport): PrintableReport {
  return { name, ...reportPage(report, { at: ctx.now(), by: ctx.actor.name, publicUrl }) };
}

function trailContent({ flowName, trailName, verdict, facts, sections }: TrailReport): Html {
  return html`<h1>Trail <bdi>${trailName}</bdi> of flow <bdi>${flowName}</bdi></h1>
<p class="lead">${verdictMark(verdict.status)} ${verdict.because}</p>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
${sections}`;
}
