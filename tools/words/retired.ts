export interface RetiredTerm {
  /** A word of identifiers and file names, in lower case, however they are put together. */
  readonly word: string;
  /** The term of the glossary, or where there are several, each with what it is for. */
  readonly use: string;
  /** Names in which the word means something else. */
  readonly exceptions?: readonly string[];
}

/** Words that the code does not use, because another term is in the glossary. */
export const RETIRED: readonly RetiredTerm[] = [
  { word: 'recheck', use: 'reevaluation', exceptions: ['recheckAccess', 'recheckAccessAfterBody'] },
  { word: 'rechecks', use: 'reevaluations' },
  { word: 'retraced', use: 'provenance' },
  { word: 'standing', use: 'state' },
  { word: 'standings', use: 'states' },
  { word: 'stretch', use: 'run, or interval' },
  { word: 'stretches', use: 'runs, or intervals' },
  { word: 'telling', use: 'message, or summary' },
  { word: 'tellings', use: 'messages, or summaries' },
  { word: 'happening', use: 'event' },
  { word: 'happenings', use: 'events' },
  { word: 'paper', use: 'report' },
  { word: 'trial', use: 'back-test' },
];

/** Phrases that comments and texts do not use. */
export const RETIRED_PHRASES: readonly { readonly phrase: string; readonly use: string }[] = [
  { phrase: 'second look', use: 're-evaluation' },
  { phrase: 'look again at', use: 're-evaluate' },

  { phrase: 'fell silent', use: 'went stale' },
  { phrase: 'falls silent', use: 'goes stale' },
];
