# Turns the header's plain C comments into Doxygen comments: those before a declaration, those after a member, and the section
# lines. Drops comments on their own line inside braces, because they only group the members below.
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
