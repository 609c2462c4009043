import { type Html, html } from '../../../platform/http/html.ts';

const WORDS: readonly (readonly [string, string])[] = [
  [
    'Artifact',
    'Something that was built and runs, such as an image or a file. Its fingerprint, a SHA-256, says which one.',
  ],
  [
    'Flow, trail',
    'A flow is a process that builds software. A trail is one pass through it, with all evidence about it.',
  ],
  ['Environment', 'A place where artifacts run. A reporter says regularly what runs there.'],
  ['Compliant', 'Each artifact that runs has what the policies ask for, or was let pass.'],
  ['Not compliant', 'At least one artifact that runs lacks something that a policy asks for.'],
  ['Not judged', 'No policy applied, or nothing ran.'],
  ['Waived', 'An artifact that lacks something was let pass by somebody, who gave a reason.'],
  ['Silence', 'For longer than is allowed the reporter said nothing. What ran then is not known.'],
  ['Of the time counted', 'Shares of the period, or of its part since the first report.'],
  ['Of what is known', 'Shares without the time for which nothing is known.'],
];

export const GLOSSARY: Html = html`<dl>${WORDS.map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>\n`)}</dl>`;
