import type { SsoInput } from '@waymark/contract';
import { invalidField } from '../../platform/errors.ts';
import { type Issuers, UnusableIssuer } from './issuer.ts';
import type { Wanted } from './sso.service.ts';

/** The requested settings, with the issuer in its own spelling. */
export async function readIssuer(issuers: Issuers, input: SsoInput): Promise<Wanted> {
  try {
    const { issuer } = await issuers.read(input.issuer);
    return {
      issuer,
      clientId: input.client_id,
      clientSecret: input.client_secret,
      emailDomains: input.email_domains ?? [],
      defaultRole: input.default_role ?? 'reader',
    };
  } catch (error) {
    if (error instanceof UnusableIssuer) throw invalidField('issuer', error.message);
    throw error;
  }
}
