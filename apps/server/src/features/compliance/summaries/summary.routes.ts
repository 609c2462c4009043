import { createPublicKey, type KeyObject } from 'node:crypto';
import * as api from '@waymark/contract';
import { PAYLOAD_TYPE, signEnvelope } from '@waymark/verification-summary';
import { Problem } from '../../../platform/errors.ts';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { handlePublicFile } from '../../../platform/http/small-file.ts';
import { summarize } from './summary.service.ts';

const FRESH = 'public, max-age=60';

/** `keys` are private, newest first. The newest one signs; of the others, only the public ones are still shown. */
export function summaryRoutes(app: App, keys: readonly KeyObject[]): void {
  const [newest] = keys;
  const shown = keys.map((key) => createPublicKey(key).export({ type: 'spki', format: 'pem' })).join('');

  handle(app, api.getVerificationSummary, async (ctx, { params, query }) => {
    if (!newest) throw notSigning();
    const summary = await summarize(ctx, {
      publicUrl: app.publicUrl,
      orgName: params.org,
      prefix: params.fingerprint,
      environmentName: query.environment_name,
    });
    const { payloadType, payload, signatures } = signEnvelope(
      PAYLOAD_TYPE,
      Buffer.from(JSON.stringify(summary)),
      newest,
    );
    return { payloadType, payload, signatures };
  });

  handlePublicFile(app, api.getStatementKeys, async () => {
    if (!newest) throw notSigning();
    return { content: shown, cacheControl: FRESH };
  });
}

function notSigning(): Problem {
  return new Problem('not_found', 'This installation signs no statements, because it has no key for them');
}
