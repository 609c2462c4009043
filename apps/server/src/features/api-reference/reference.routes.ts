import { hash } from 'node:crypto';
import * as api from '@waymark/contract';
import { policyJsonSchema } from '@waymark/policy';
import { templateJsonSchema } from '@waymark/template';
import { API_PREFIX, type App } from '../../platform/http/app.ts';
import { handleConstant, serveConstant } from '../../platform/http/constant-reply.ts';
import { lazy } from '../../platform/lazy.ts';
import { VERSION } from '../../platform/version.ts';
import { referencePage } from './reference-page.ts';
import { STYLE } from './reference-style.ts';

/** The page may use our own style and nothing else, whatever text it contains. */
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
  // Describing all operations takes a fifth of a second: a starting server does not wait for it.
  const document = lazy(() => api.toOpenApi(api.contracts, { version: '2.0', serverUrl: url }));

  handleConstant(app, api.getOpenApi, document, { 'waymark-version': VERSION });
  handleConstant(app, api.getTemplateSchema, () => templateJsonSchema(`${url}/schemas/flow-template/v1`));
  handleConstant(app, api.getPolicySchema, () => policyJsonSchema(`${url}/schemas/environment-policy/v1`));
  serveConstant(app, {
    url: '/docs',
    type: 'text/html',
    write: () => referencePage(document()),
    headers: { 'content-security-policy': PAGE_POLICY },
  });
}
