import { type Html, html } from '../../../platform/http/html.ts';

const WORDS: readonly (readonly [string, string])[] = [
  ['Artifact', 'A file, directory, or container image, identified by its SHA-256 fingerprint.'],
  ['Flow, trail', 'A flow is a delivery process. A trail is one run of it, with all its evidence.'],
  ['Environment', 'A place where artifacts run. A reporter regularly reports what runs there.'],
  ['Compliant', 'Every running artifact satisfies the policies or has a waiver.'],
  ['Not compliant', 'At least one running artifact does not satisfy a policy.'],
  ['Not judged', 'No policy was attached, or nothing ran.'],
  ['Waived', 'A non-compliant artifact was permitted to run, with an owner and a reason.'],
  ['Overdue report', 'A report was overdue, so what ran at that time is unknown.'],
  ['Share of counted time', 'Relative to the period, or to its part since the first report.'],
  ['Share of known time', 'Relative to the counted time without overdue reports.'],
];

export const GLOSSARY: Html = html`<dl>${WORDS.map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>\n`)}</dl>`;
