import { Readable } from 'node:stream';
import * as api from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { App } from '../../../platform/http/app.ts';
import { type FileAnswer, handleFile } from '../../../platform/http/file-reply.ts';
import type { Out } from '../../../platform/http/handle.ts';
import { type Chromium, createPdfPrinter } from '../../../platform/print-pdf.ts';
import { periodOf } from './period.ts';
import { environmentReport, type PrintableReport, trailReport } from './report.service.ts';
import { REPORT_POLICY } from './report-page.ts';

type Format = 'html' | 'pdf' | undefined;

export function reportRoutes(app: App, chromium: Chromium | undefined): void {
  const sourceOf = ({ org }: { org: string }) => ({ org, publicUrl: app.publicUrl });
  const answer = answering(app, chromium);

  handleFile(app, api.getTrailReport, (ctx, { params, query }, out) =>
    answer(ctx, out, query.format, () => trailReport(ctx, sourceOf(params), params.flow_name, params.trail_name)),
  );

  handleFile(app, api.getEnvironmentReport, (ctx, { params, query }, out) => {
    const period = periodOf(query, ctx.now());
    return answer(ctx, out, query.format, () => environmentReport(ctx, sourceOf(params), params.env_name, period));
  });
}

function answering(app: App, chromium: Chromium | undefined) {
  const printer = chromium && createPdfPrinter(chromium);
  if (printer) app.watchQueue('pdf', printer.figures);
  return async (ctx: Ctx, out: Out, format: Format, make: () => Promise<PrintableReport>): Promise<FileAnswer> => {
    if (format === 'pdf' && !printer) {
      throw invalidField(
        'query.format',
        'cannot be pdf: the operator of this installation has not set WAYMARK_CHROMIUM. Use html and print it ' +
          'from a browser',
      );
    }
    if (format === 'pdf' && printer) {
      const { made, pdf } = await printer.print(ctx.org, make);
      describe(out, made);
      return shown(`${made.name}.pdf`, pdf, 'application/pdf');
    }
    const report = await make();
    describe(out, report);
    out.header('content-security-policy', REPORT_POLICY);
    out.header('referrer-policy', 'no-referrer');
    return shown(`${report.name}.html`, Buffer.from(report.page));
  };
}

function describe(out: Out, { sha256 }: PrintableReport): void {
  out.header('waymark-content-sha256', sha256);
}

function shown(filename: string, content: Buffer, type?: string): FileAnswer {
  return { filename, type, size: content.length, stream: Readable.from([content]), isShown: true };
}
