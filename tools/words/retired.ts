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
  { word: 'told', use: 'what it is: message, reply, summary, notified' },
  { word: 'said', use: 'what it is: verdict, decision, reply, stated' },
  { word: 'kept', use: 'stored, cached, or remaining' },
  { word: 'look', use: 'read, check or poll; variant or tone' },
  { word: 'looks', use: 'reads, checks or polls; screenshots' },
  { word: 'looked', use: 'read, checked or searched', exceptions: ['looked_at'] },
  { word: 'silent', use: 'stale, of a report overdue', exceptions: ['silent_since'] },
  { word: 'silence', use: 'stale period' },
  { word: 'silences', use: 'stale periods' },
  { word: 'wants', use: 'needs, requirements, or filter' },
  { word: 'stands', use: 'applies, or is valid' },
  { word: 'listing', use: 'waiver', exceptions: ['allow_listing', 'without_allow_listing'] },
  { word: 'listings', use: 'waivers' },
  { word: 'origins', use: 'provenance' },
  { word: 'traced', use: 'provenance' },
];

/** Phrases that comments and texts do not use. */
export const RETIRED_PHRASES: readonly { readonly phrase: string; readonly use: string }[] = [
  { phrase: 'second look', use: 're-evaluation' },
  { phrase: 'look again at', use: 're-evaluate' },
  { phrase: 'allow-listing', use: 'waiver' },
  { phrase: 'is told of', use: 'is notified of' },
  { phrase: 'fell silent', use: 'went stale' },
  { phrase: 'falls silent', use: 'goes stale' },
];
