module beside

go 1.19
