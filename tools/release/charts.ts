import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { epochOfCommit } from './epoch.ts';
import { runProgram } from './run-program.ts';

const CHARTS = join(import.meta.dirname, '../../deploy/helm');

/** A packed chart. */
export interface Chart {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

/** Packs every chart as Helm does, but with one time and one order, so that the bytes are the same each time. */
export function packCharts(out: string): Chart[] {
  return globSync('*/Chart.yaml', { cwd: CHARTS })
    .toSorted()
    .map((path) => {
      const folder = dirname(path);
      const { name, version } = chartIn(folder);
      const file = `${name}-chart-${version}.tgz`;
      const tar = runProgram('tar', [
        ...['--sort=name', `--mtime=@${epochOfCommit()}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'],
        ...[
          '--mode=u=rwX,go=rX',
          '--exclude=.helmignore',
          `--transform=s,^${folder},${name},`,
          '-C',
          CHARTS,
          '-c',
          folder,
        ],
      ]);
      writeFileSync(join(out, file), gzipSync(tar, { level: 9 }));
      return { name, version, file };
    });
}

function chartIn(folder: string): { name: string; version: string } {
  return parse(readFileSync(join(CHARTS, folder, 'Chart.yaml'), 'utf8'));
}

/**
 * Pushes a chart as Helm does: its metadata as configuration, and the archive as the only layer. Returns its digest.
 */
export function pushChart(
  oras: string,
  directory: string,
  { name, version, file }: Chart,
  to: { readonly charts: string; readonly isPlainHttp: boolean },
): string {
  const work = mkdtempSync(join(tmpdir(), 'chart-'));
  try {
    writeFileSync(join(work, 'config.json'), JSON.stringify(chartIn(name)));
    const printed = runProgram(
      oras,
      [
        ...['push', ...(to.isPlainHttp ? ['--plain-http'] : []), '--format', 'json', '--disable-path-validation'],
        ...['--config', `${join(work, 'config.json')}:application/vnd.cncf.helm.config.v1+json`],
        ...['--annotation', `org.opencontainers.image.created=${new Date(epochOfCommit() * 1000).toISOString()}`],
        `${to.charts}/${name}:${version}`,
        `${file}:application/vnd.cncf.helm.chart.content.v1.tar+gzip`,
      ],
      { cwd: directory },
    );
    return (JSON.parse(printed.toString()) as { digest: string }).digest;
  } finally {
    rmSync(work, { recursive: true });
  }
}
