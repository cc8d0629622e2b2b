module ktrial/goflow

go 1.25
