/** A package holds the records as files, and its report links them. A printed report says which they are, and links nothing. */
export type Medium = 'package' | 'report';
