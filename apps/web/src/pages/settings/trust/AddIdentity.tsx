import { addTrustedIdentity } from '@waymark/contract';
import { useState } from 'react';
import { useWrite } from '../../../lib/queries.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field, Select } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Notice } from '../../../ui/Panel.tsx';
import { FlowsField, flowsIn } from './FlowsField.tsx';
import { patternWords } from './pattern-words.ts';

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

const MATCHING = [
  { id: 'exact', label: 'Exactly this subject' },
  { id: 'pattern', label: 'Subjects that match a pattern' },
] as const;

export function AddIdentity({ org, onClose }: { readonly org: string; readonly onClose: () => void }) {
  const [rootText, setRootText] = useState('');
  const [matching, setMatching] = useState<'exact' | 'pattern'>('exact');
  const [subject, setSubject] = useState('');
  const isPattern = matching === 'pattern';
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
          whyNot={whyNotAdd(root, isPattern, subject)}
          onSubmit={({ name = '', issuer = '', flows = '' }) =>
            write.mutate({
              params: { org },
              body: {
                name,
                issuer,
                subject: subject.trim(),
                matching,
                flows: flowsIn(flows),
                ...(root && { trusted_root: root }),
              },
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
          <Select
            label="Matching"
            name="matching"
            value={matching}
            choices={MATCHING}
            onChange={(id) => setMatching(id === 'pattern' ? 'pattern' : 'exact')}
          />
          <Field
            name="subject"
            label={isPattern ? 'Subject pattern' : 'Subject'}
            isRequired
            lines={2}
            value={subject}
            onChange={setSubject}
            placeholder={`https://github.com/acme/web/.github/workflows/release.yml@refs/${isPattern ? 'tags/*' : 'heads/main'}`}
            help={
              isPattern
                ? 'Email address or URI in the certificate: * is any text up to the next / or @, ** is any text'
                : 'Email address or URI in the certificate'
            }
          />
          {isPattern && <Consequence pattern={subject} />}
          <FlowsField />
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

function whyNotAdd(root: object | undefined | null, isPattern: boolean, subject: string): string | undefined {
  if (root === null) return 'The trusted root is not a JSON object';
  if (isPattern && subject.trim() !== '' && !subject.includes('*')) return 'The pattern has no *: use an exact match';
  return undefined;
}

/** Who can sign, while the pattern is being written. */
function Consequence({ pattern }: { readonly pattern: string }) {
  const words = patternWords(pattern);
  if (!words) return null;
  return (
    <Notice kind={words.isBroad ? 'unsure' : 'info'} title={words.accepts}>
      {words.consequence} Their statements count as proof in the flows below.
    </Notice>
  );
}
