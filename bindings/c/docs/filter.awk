# Shows Doxygen the header's comments, which are plain C comments there: those before a declaration, those behind a
# member, and the section lines. A comment on a line of its own within braces only groups what follows: left out.
/^\/\* -+ [a-zA-Z, ]+ \*\/$/ {
  title = $0
  gsub(/^\/\* -+ | \*\/$/, "", title)
  if (open) print "/** @} */"
  printf "/** @name %s\n * @{ */\n", toupper(substr(title, 1, 1)) substr(title, 2)
  open = 1
  next
}
/^} *[a-z_]*;/ { inside = 0 }
/^#ifdef __cplusplus$/ && open { print "/** @} */"; open = 0 }
inside && /^  \/\*.*\*\/$/ { print ""; next }
inside && /\/\*/ { sub(/\/\*/, "/**<") }
/^\/\*$/ && !first { first = 1; print "/** @file"; next }
/^\/\*/ { sub(/^\/\*/, "/**") }
/^(typedef struct [a-z_]+ |enum )\{$/ { inside = 1 }
{ print }
