import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { findFreePort } from '../../../tools/services/port.ts';
import { startApi, type TestApi } from './harness.ts';

/** A listening server that knows its own address: forms are accepted only from there. */
export async function startListeningApi(options: Parameters<typeof startApi>[0] = {}): Promise<TestApi> {
  const port = await findFreePort();
  const api = await startApi({ ...options, publicUrl: `http://localhost:${port}` });
  await api.app.http.listen({ host: '127.0.0.1', port });
  return api;
}

/** Chromium, until the tests of the file have ended. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  afterAll(() => browser.close());
  return browser;
}

/** A separate, empty browser profile. */
export async function newProfile(browser: Browser, base: string): Promise<{ profile: BrowserContext; page: Page }> {
  const profile = await browser.newContext({ baseURL: base });
  profile.setDefaultTimeout(120_000);
  return { profile, page: await profile.newPage() };
}
