import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { IMAGES_FOLDER, NPM_PACKAGES, type Release } from './build-release.ts';
import { pushChart } from './charts.ts';
import { runProgram } from './run-program.ts';

/** Where a release goes. */
export interface Registries {
  /** Host and path of images, such as `ghcr.io/waymark`. */
  readonly images: string;
  readonly charts: string;
  readonly isPlainHttp: boolean;
  readonly npm: { readonly url: string; readonly userConfig: string; readonly hasProvenance?: boolean };
}

export interface Published {
  /** References by digest, by the name of the image. */
  readonly images: Readonly<Record<string, string>>;
  readonly charts: Readonly<Record<string, string>>;
}

/** Pushes images, charts and npm packages. The order does not matter: nobody is told about a version before the end. */
export function publish(oras: string, release: Release, registries: Registries): Published {
  const images = Object.entries(release.images).map(([name, digest]) => {
    pushImage(oras, release, name, registries);
    return [name, `${registries.images}/${name}@${digest}`];
  });
  const charts = release.charts.map((chart) => [
    chart.name,
    `${registries.charts}/${chart.name}@${pushChart(oras, release.out, chart, registries)}`,
  ]);
  for (const name of NPM_PACKAGES) publishPackage(join(release.out, `waymark-${name}-${version}.tgz`), registries.npm);
  return { images: Object.fromEntries(images), charts: Object.fromEntries(charts) };
}

function pushImage(oras: string, { out }: Release, name: string, { images, isPlainHttp }: Registries): void {
  runProgram(oras, [
    ...['copy', '--recursive', '--from-oci-layout', ...(isPlainHttp ? ['--to-plain-http'] : [])],
    `${join(out, IMAGES_FOLDER)}:${name}`,
    `${images}/${name}:${version}`,
  ]);
}

/** A version that is not yet a release must not become what `npm install` takes by default. */
export function publishPackage(file: string, { url, userConfig, hasProvenance }: Registries['npm']): void {
  const tag = version.includes('-') ? 'next' : 'latest';
  runProgram('npm', [
    ...['publish', file, '--registry', url, '--userconfig', userConfig, '--tag', tag, '--access', 'public'],
    ...(hasProvenance ? ['--provenance'] : []),
  ]);
}

/** Copies an image from a registry into an OCI layout, and returns its digest. */
export function pullImage(oras: string, reference: string, layout: string): string {
  runProgram(oras, ['copy', '--from-plain-http', '--to-oci-layout', reference, `${layout}:pulled`]);
  const resolved = runProgram(oras, ['resolve', '--oci-layout', `${layout}:pulled`])
    .toString()
    .trim();
  if (!readdirSync(layout).includes('index.json')) throw new Error(`${reference} was not pulled`);
  return resolved;
}
