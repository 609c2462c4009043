import { useEffect, useState } from 'react';
import { Field } from '../../../ui/Fields.tsx';
import { type NewRule, readClaims } from './rule-draft.ts';

/** Any issuer of OpenID Connect tokens, by the claims of its tokens. */
export function OtherIssuer({ onRule }: { readonly onRule: (rule: NewRule) => void }) {
  const [issuer, setIssuer] = useState('');
  const [text, setText] = useState('');
  useEffect(() => {
    const { claims, wrong } = readClaims(text);
    const whyNot = issuer.trim() === '' || text.trim() === '' ? 'Needs an issuer and a claim' : undefined;
    onRule({
      name: '',
      issuer: issuer.trim(),
      claims,
      whyNot: wrong === undefined ? whyNot : `Not a claim and its value: ${wrong}`,
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
        help="As the claim iss of its tokens has it, to the letter"
      />
      <Field
        name="claims"
        label="What a token must say"
        value={text}
        onChange={setText}
        lines={4}
        mono
        placeholder="sub=pipeline-7"
        help="A claim and its value in each line. One of them must say by an id whose job it is, such as sub."
      />
    </>
  );
}
