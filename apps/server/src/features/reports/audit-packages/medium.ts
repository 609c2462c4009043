/** A package holds the records as files, and its report links them. A printed report names them, and links nothing. */
export type Medium = 'package' | 'report';
