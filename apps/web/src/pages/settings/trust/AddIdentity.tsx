import { addTrustedIdentity } from '@waymark/contract';
import { useState } from 'react';
import { useWrite } from '../../../lib/queries.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';

/** Undefined for an empty text, null for one that is not a JSON object. */
function readRoot(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === '') return undefined;
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null && !Array.isArray(found)
      ? (found as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

export function AddIdentity({ org, onClose }: { readonly org: string; readonly onClose: () => void }) {
  const [rootText, setRootText] = useState('');
  const root = readRoot(rootText);
  const write = useWrite(addTrustedIdentity, {
    done: ({ name }) => `Identity ${name} trusted`,
    onDone: onClose,
  });
  return (
    <Dialog title="Trust Sigstore identity" onClose={onClose}>
      {(close) => (
        <Form
          submit="Trust identity"
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          whyNot={root === null ? 'The trusted root is not a JSON object' : undefined}
          onSubmit={({ name = '', issuer = '', subject = '' }) =>
            write.mutate({
              params: { org },
              body: { name, issuer, subject, ...(root && { trusted_root: root }) },
            })
          }
        >
          <Field name="name" label="Name" isRequired autoFocus help="Letters, digits, and . - _ ~" />
          <Field
            name="issuer"
            type="url"
            label="Issuer"
            isRequired
            placeholder="https://token.actions.githubusercontent.com"
            help="The OIDC issuer in the certificate"
          />
          <Field
            name="subject"
            label="Subject"
            isRequired
            lines={2}
            placeholder="https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main"
            help="Email address or URI in the certificate (exact match)"
          />
          <Field
            name="trusted_root"
            label="Custom Sigstore trusted root"
            value={rootText}
            onChange={setRootText}
            lines={3}
            mono
            help="The content of its trusted_root.json. Leave empty for the one of this installation."
          />
        </Form>
      )}
    </Dialog>
  );
}
