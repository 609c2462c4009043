import { useEffect, useState } from 'react';
import { Field } from '../../../ui/Fields.tsx';
import { type NewRule, readClaims } from './rule-draft.ts';

/** Any issuer of OpenID Connect tokens, by the claims of its tokens. */
export function OtherIssuer({ onRule }: { readonly onRule: (rule: NewRule) => void }) {
  const [issuer, setIssuer] = useState('');
  const [text, setText] = useState('');
  useEffect(() => {
    const { claims, wrong } = readClaims(text);
    const whyNot = issuer.trim() === '' || text.trim() === '' ? 'Enter an issuer and a claim' : undefined;
    onRule({
      name: '',
      issuer: issuer.trim(),
      claims,
      whyNot: wrong === undefined ? whyNot : `Not a valid claim: ${wrong}`,
    });
  }, [issuer, text, onRule]);
  return (
    <>
      <Field
        name="issuer"
        type="url"
        label="Issuer"
        value={issuer}
        onChange={setIssuer}
        placeholder="https://ci.example.com"
        help="Exactly as in the iss claim of its tokens"
      />
      <Field
        name="claims"
        label="Required claims"
        value={text}
        onChange={setText}
        lines={4}
        mono
        placeholder="sub=pipeline-7"
        help="One claim=value per line. At least one must identify the job by an ID, such as sub, repositoryUuid for Bitbucket, or oidc.circleci.com/project-id for CircleCI."
      />
    </>
  );
}
