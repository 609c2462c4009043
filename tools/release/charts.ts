import { spawnSync } from 'node:child_process';
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

/**
 * Pulls a chart from its registry as users do, with Helm, and throws unless it gets the digest that was pushed and the
 * bytes that were packed.
 */
export function verifyPulledChart(
  helm: string,
  directory: string,
  { name, version, file }: Chart,
  from: { readonly charts: string; readonly digest: string; readonly isPlainHttp: boolean },
): void {
  const work = mkdtempSync(join(tmpdir(), 'chart-'));
  try {
    const env = { ...process.env, HELM_CACHE_HOME: join(work, 'cache'), HELM_CONFIG_HOME: join(work, 'config') };
    const { status, stdout, stderr } = spawnSync(
      helm,
      [
        ...['pull', `oci://${from.charts}/${name}`, '--version', version, '--destination', work],
        ...(from.isPlainHttp ? ['--plain-http'] : []),
      ],
      { encoding: 'utf8', env },
    );
    if (status !== 0) throw new Error(`Helm couldn't pull the chart ${name} ${version}: ${stderr}`);
    // Helm writes it to standard error.
    const [, digest] = /^Digest: (\S+)$/m.exec(stdout + stderr) ?? [];
    if (digest !== from.digest) {
      throw new Error(`Helm pulled another chart ${name} ${version} than was pushed: ${digest}, not ${from.digest}`);
    }
    if (!readFileSync(join(work, `${name}-${version}.tgz`)).equals(readFileSync(join(directory, file)))) {
      throw new Error(`Helm pulled a chart ${name} ${version} whose bytes are not those of ${file}`);
    }
  } finally {
    rmSync(work, { recursive: true });
  }
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
