import { hash } from 'node:crypto';
import * as api from '@waymark/contract';
import { policyJsonSchema } from '@waymark/policy';
import { templateJsonSchema } from '@waymark/template';
import { API_PREFIX, type App } from '../../platform/http/app.ts';
import { handlePublic } from '../../platform/http/handle.ts';
import { lazy } from '../../platform/lazy.ts';
import { referencePage } from './reference-page.ts';
import { STYLE } from './reference-style.ts';

/** The page may show our own style and do nothing else, whatever a text in it says. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API describes itself: document, page and schemas, all from the same contracts. */
export function referenceRoutes(app: App): void {
  const url = app.publicUrl + API_PREFIX;
  // Describing all operations takes a fifth of a second: who only starts a server does not wait for it.
  const document = lazy(() => api.toOpenApi(api.contracts, { version: '2.0', serverUrl: url }));
  const page = lazy(() => referencePage(document()));
  const templateSchema = templateJsonSchema(`${url}/schemas/flow-template/v1`);
  const policySchema = policyJsonSchema(`${url}/schemas/environment-policy/v1`);

  handlePublic(app, api.getOpenApi, document);
  handlePublic(app, api.getTemplateSchema, () => templateSchema);
  handlePublic(app, api.getPolicySchema, () => policySchema);
  app.http.get('/docs', (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', PAGE_POLICY)
      .header('x-content-type-options', 'nosniff')
      .send(page()),
  );
}
